import { crc32, deflateRawSync } from 'node:zlib';

/** A file to put in an archive; the rest is for archives that are not as they should be. */
export interface ZipMember {
  name: string;
  content: string | Uint8Array;
  /** What the archive says that the content unpacks to, in bytes, where it lies. */
  claimedSize?: number;
  /** Marked as encrypted, though it is not. */
  encrypted?: boolean;
  /** The checksum of something else. */
  wrongChecksum?: boolean;
}

const DEFLATED = 8;
/** Bits of the flags: encrypted; the name is UTF-8. */
const ENCRYPTED = 0x1;
const UTF_8 = 0x800;

/** The fields that the header before a file and its entry in the directory have in common. */
function commonFields(member: ZipMember, packed: Uint8Array): Buffer {
  const content = Buffer.from(member.content);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(UTF_8 | (member.encrypted ? ENCRYPTED : 0), 2);
  fields.writeUInt16LE(DEFLATED, 4);
  fields.writeUInt32LE((crc32(content) ^ (member.wrongChecksum ? 1 : 0)) >>> 0, 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(member.claimedSize ?? content.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(member.name), 22);
  return fields;
}

/** Writes a ZIP archive. */
export function writeZip(members: readonly ZipMember[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const packed = deflateRawSync(member.content);
    const fields = commonFields(member, packed);
    const name = Buffer.from(member.name);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fields, place, name]));
    files.push(file);
    offset += file.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...directory, Buffer.from('PK\x05\x06'), end]);
}
