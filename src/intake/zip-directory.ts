import { AirbatchError } from '../core/errors.ts';
import { refuseBomb, type UnpackLimits } from './unpack.ts';

/** An entry of a zip archive, as its directory declares it. */
interface ZipEntry {
  name: string;
  packed: number;
  unpacked: number;
  /** Whether sizes stand behind the data too, where a reader may look instead. */
  hasDescriptor: boolean;
}

/** A workbook has some twenty entries, and one more for each sheet, picture and comment. */
const entriesMax = 2_000;
/** The texts of a workbook are read into memory as a whole, and take some ten times their size there. */
const textsBytesMax = 64 * 2 ** 20;

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endBytes = 22;
const commentBytesMax = 0xffff;
const wide = 0xffffffff;

/**
 * Looks through the directory of a workbook before anything of it is unpacked: whoever reads it unpacks no more of an entry
 * than is declared here. Throws `FILE_REJECTED` where that would be too much, or where it is not declared.
 */
export function checkZipDirectory(archive: Buffer, limits: UnpackLimits): void {
  const entries = directory(archive);
  let unpacked = 0;
  for (const { name, packed, unpacked: own, hasDescriptor } of entries) {
    const isDeclared = packed !== wide && own !== wide && (own > 0 || packed <= 2) && !(hasDescriptor && packed === 0);
    if (!isDeclared) throw damaged(`the size of ${JSON.stringify(name.slice(0, 60))} in it is not declared`);
    if (/sharedStrings\.xml$/i.test(name) && own > textsBytesMax) {
      throw new AirbatchError('FILE_REJECTED', 'the workbook has more text than can be read from a workbook', {
        hint: 'Save the sheet as "CSV UTF-8", and run that file. Nothing was sent.',
      });
    }
    unpacked += own;
  }
  refuseBomb(unpacked, archive.length, limits);
}

function directory(archive: Buffer): ZipEntry[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  const start = archive.readUInt32LE(end + 16);
  if (count > entriesMax) throw damaged(`it has more than ${entriesMax} entries`);
  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== entrySignature)
      throw damaged('its directory is broken');
    const nameBytes = archive.readUInt16LE(at + 28);
    entries.push({
      name: archive.toString('utf8', at + 46, at + 46 + nameBytes),
      packed: archive.readUInt32LE(at + 20),
      unpacked: archive.readUInt32LE(at + 24),
      hasDescriptor: (archive.readUInt16LE(at + 8) & 8) !== 0,
    });
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

/** Where the record that ends the archive begins; it may be followed by a comment. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - commentBytesMax);
  for (let at = archive.length - endBytes; at >= first; at--) {
    if (archive.readUInt32LE(at) === endSignature) return at;
  }
  throw damaged('it was cut short');
}

function damaged(why: string): AirbatchError {
  return new AirbatchError('FILE_REJECTED', `the workbook cannot be read: ${why}`, {
    hint: 'Save it again, or save the sheet as "CSV UTF-8". Nothing was sent.',
  });
}
