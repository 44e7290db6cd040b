// Reads an MCAP file by its index as Lichtblick does: @mcap/core reads records, @mcap/support
// decompresses chunks and decodes messages with the schemas in the file, and the enumerations are
// those of @lichtblick/asam-osi-types, which Lichtblick's OSI converter uses. Prints what it found as
// one JSON document.
const { open } = require("node:fs/promises");
const { McapIndexedReader } = require("@mcap/core");
const { loadDecompressHandlers, protobufFromBinaryDescriptor } = require("@mcap/support");
const { MovingObject_Type } = require("@lichtblick/asam-osi-types");

class Handle {
  constructor(file, size) { this.file = file; this.bytes = BigInt(size); }
  async size() { return this.bytes; }
  async read(offset, length) {
    const buffer = new Uint8Array(Number(length));
    await this.file.read(buffer, 0, Number(length), Number(offset));
    return buffer;
  }
}

// What Lichtblick's converter takes of a message.
function taken(message) {
  const truth = message.global_ground_truth ?? message;
  return {
    time: `${message.timestamp.seconds}.${String(message.timestamp.nanos).padStart(9, "0")}`,
    objects: (truth.moving_object ?? []).map((o) => [String(o.id?.value ?? o.header.tracking_id.value), MovingObject_Type[o.type] ?? "", o.base.position.x]),
  };
}

async function main(path) {
  const file = await open(path, "r");
  const decompressHandlers = await loadDecompressHandlers();
  const reader = await McapIndexedReader.Initialize({ readable: new Handle(file, (await file.stat()).size), decompressHandlers });
  const metadata = [];
  for await (const m of reader.readMetadata()) {
    metadata.push(m.name);
  }
  const types = new Map();
  for (const schema of reader.schemasById.values()) {
    types.set(schema.id, protobufFromBinaryDescriptor(schema.data).lookupType(schema.name));
  }
  const messages = [];
  for await (const m of reader.readMessages()) {
    const channel = reader.channelsById.get(m.channelId);
    const decoded = types.get(channel.schemaId).decode(m.data);
    messages.push({ topic: channel.topic, schema: reader.schemasById.get(channel.schemaId).name, logTime: String(m.logTime), ...taken(decoded) });
  }
  console.log(JSON.stringify({ metadata, statistics: String(reader.statistics.messageCount), messages }));
  await file.close();
}

main(process.argv[2]).catch((error) => { console.error(error); process.exit(1); });
