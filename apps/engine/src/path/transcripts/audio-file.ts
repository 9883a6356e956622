/** A kind of audio as its bytes begin, with the ending by which endpoints know it. */
export interface AudioKind {
  ending: string;
  mediaType: string;
}

const begins = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));

/** @returns null for what is no audio that endpoints take: it is sent to none */
export function audioKindOf(bytes: Buffer): AudioKind | null {
  if (begins(bytes, 'OggS')) return { ending: 'ogg', mediaType: 'audio/ogg' };
  if (begins(bytes, 'RIFF') && begins(bytes, 'WAVE', 8)) return { ending: 'wav', mediaType: 'audio/wav' };
  if (begins(bytes, 'ftyp', 4)) return { ending: 'm4a', mediaType: 'audio/mp4' };
  if (begins(bytes, 'fLaC')) return { ending: 'flac', mediaType: 'audio/flac' };
  if (begins(bytes, '\x1a\x45\xdf\xa3')) return { ending: 'webm', mediaType: 'audio/webm' };
  if (begins(bytes, '#!AMR')) return { ending: 'amr', mediaType: 'audio/amr' };
  const [first = 0, second = 0] = bytes;
  // The layer of a frame is 0 in ADTS, and never in MPEG audio.
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0;
  if (isFrame && (second & 0x06) === 0) return { ending: 'aac', mediaType: 'audio/aac' };
  return isFrame || begins(bytes, 'ID3') ? { ending: 'mp3', mediaType: 'audio/mpeg' } : null;
}

/**
 * How long a file says that it is, in seconds; null where its kind says it nowhere in particular. A file may lie: the
 * limit of bytes holds for it all the same.
 */
export function secondsOf(bytes: Buffer, { ending }: AudioKind): number | null {
  const seconds = ending === 'ogg' ? oggSeconds(bytes) : ending === 'wav' ? wavSeconds(bytes) : null;
  const known = ending === 'm4a' ? mp4Seconds(bytes) : seconds;
  return known !== null && Number.isFinite(known) && known >= 0 ? known : null;
}

/** RFC 3533: the last page has the position of the end, in samples; those of Opus are of 48 kHz (RFC 7845). */
function oggSeconds(bytes: Buffer): number | null {
  const last = bytes.lastIndexOf('OggS');
  if (last + 14 > bytes.length) return null;
  const rate = bytes.indexOf('OpusHead') >= 0 ? 48_000 : vorbisRate(bytes);
  return rate === null ? null : Number(bytes.readBigInt64LE(last + 6)) / rate;
}

function vorbisRate(bytes: Buffer): number | null {
  const head = bytes.indexOf('\x01vorbis', 0, 'latin1');
  return head < 0 || head + 16 > bytes.length ? null : bytes.readUInt32LE(head + 12);
}

function wavSeconds(bytes: Buffer): number | null {
  const format = bytes.indexOf('fmt ');
  const data = bytes.indexOf('data');
  if (format < 0 || data < 0 || format + 20 > bytes.length || data + 8 > bytes.length) return null;
  // A program that writes while it records leaves the size open.
  const size = Math.min(bytes.readUInt32LE(data + 4), bytes.length - data - 8);
  return size / bytes.readUInt32LE(format + 16);
}

/** ISO 14496-12: the movie header has the duration, in a unit of its own. */
function mp4Seconds(bytes: Buffer): number | null {
  const at = bytes.indexOf('mvhd');
  if (at < 0 || at + 36 > bytes.length) return null;
  return bytes[at + 4] === 1
    ? Number(bytes.readBigUInt64BE(at + 28)) / bytes.readUInt32BE(at + 24)
    : bytes.readUInt32BE(at + 20) / bytes.readUInt32BE(at + 16);
}

const sampleRate = 16_000;
const headBytes = 44;

/** A second of a quiet tone, as WAV: enough to see whether an endpoint takes audio. */
export function sampleAudio(): Buffer {
  const bytes = Buffer.alloc(headBytes + 2 * sampleRate);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(2 * sampleRate, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(2 * sampleRate, 40);
  for (let at = 0; at < sampleRate; at += 1)
    bytes.writeInt16LE(Math.round(2_000 * Math.sin((2 * Math.PI * 440 * at) / sampleRate)), headBytes + 2 * at);
  return bytes;
}
