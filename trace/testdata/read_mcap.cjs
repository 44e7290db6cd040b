// Reads an MCAP file by its index with @mcap/core, as Lichtblick does, and prints what it found as
// one JSON document.
const { open } = require("node:fs/promises");
const { McapIndexedReader } = require("@mcap/core");

class Handle {
  constructor(file, size) { this.file = file; this.bytes = BigInt(size); }
  async size() { return this.bytes; }
  async read(offset, length) {
    const buffer = new Uint8Array(Number(length));
    await this.file.read(buffer, 0, Number(length), Number(offset));
    return buffer;
  }
}

async function main(path) {
  const file = await open(path, "r");
  const reader = await McapIndexedReader.Initialize({ readable: new Handle(file, (await file.stat()).size) });
  const metadata = [];
  for await (const m of reader.readMetadata()) {
    metadata.push(m.name);
  }
  const messages = [];
  for await (const m of reader.readMessages()) {
    const channel = reader.channelsById.get(m.channelId);
    messages.push([channel.topic, reader.schemasById.get(channel.schemaId).name, String(m.logTime), m.data.byteLength]);
  }
  console.log(JSON.stringify({ metadata, statistics: String(reader.statistics.messageCount), messages }));
  await file.close();
}

main(process.argv[2]).catch((error) => { console.error(error); process.exit(1); });
