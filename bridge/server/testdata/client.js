// A client of a bridge, made of the libraries of Foxglove and of Lichtblick, which its third argument
// names by their scope:
//
//   npm install @foxglove/ws-protocol@0.8.0 ws @foxglove/rosmsg @foxglove/rosmsg2-serialization \
//     @lichtblick/rosmsg @lichtblick/rosmsg2-serialization @lichtblick/cdr
//   GOSMP_NODE_MODULES=$PWD/node_modules go test ./bridge/server
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { WebSocket } = require("ws");

const [address, protocol, scope] = process.argv.slice(2);
const { parse } = require(`${scope}/rosmsg`);
const { MessageReader, MessageWriter } = require(`${scope}/rosmsg2-serialization`);
const client = new FoxgloveClient({ ws: new WebSocket(address, [protocol]) });
const fail = (why) => {
  console.error(why);
  process.exit(1);
};
client.on("error", fail);
client.on("status", (s) => fail(s.message));
client.on("serverInfo", (info) => console.log(info.name, info.capabilities.join()));

let reader;
client.on("advertise", (channels) => {
  console.log(channels.map((c) => c.topic).join());
  const imu = channels.find((c) => c.topic === "/imu");
  const on = channels.find((c) => c.topic === "/on");
  reader = new MessageReader(parse(imu.schema, { ros2: true }));
  client.subscribe(imu.id);
  const id = client.advertise({ topic: "/on", encoding: "cdr", schemaName: on.schemaName });
  const writer = new MessageWriter(parse(on.schema, { ros2: true }));
  client.sendMessage(id, writer.writeMessage({ data: true }));
});
let shown = false;
client.on("time", (e) => {
  if (e.timestamp > 0n && !shown) {
    shown = true;
    console.log("time", e.timestamp.toString());
  }
});
client.on("message", (e) => {
  const m = reader.readMessage(e.data);
  const stamp = m.header.stamp;
  console.log(e.timestamp.toString(), stamp.sec + (stamp.nanosec ?? stamp.nsec) / 1e9, m.header.frame_id, JSON.stringify(m.linear_acceleration));
  client.close();
});
