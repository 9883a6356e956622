/** Messages between the runner and a child: four bytes of length (big-endian), then JSON. */
export function frameOf(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.allocUnsafe(4 + body.length);
  frame.writeUInt32BE(body.length);
  body.copy(frame, 4);
  return frame;
}

/**
 * Splits a child's output into frames. It buffers at most one frame, and rejects a longer one before it has arrived.
 */
export class FrameReader {
  private chunks: Buffer[] = [];
  private held = 0;

  constructor(private readonly maxBytes: number) {}

  /**
   * The messages that are complete with this chunk.
   * @throws Error when a frame is too long or is not JSON: the stream cannot be read any further
   */
  read(chunk: Buffer): unknown[] {
    this.chunks.push(chunk);
    this.held += chunk.length;
    const messages: unknown[] = [];
    for (;;) {
      const length = this.held < 4 ? null : this.join().readUInt32BE();
      if (length !== null && length > this.maxBytes) throw new Error(`a frame of ${length} bytes`);
      if (length === null || this.held < 4 + length) return messages;
      const bytes = this.join();
      messages.push(JSON.parse(bytes.toString('utf8', 4, 4 + length)));
      const rest = bytes.subarray(4 + length);
      this.chunks = rest.length > 0 ? [rest] : [];
      this.held = rest.length;
    }
  }

  /**
   * Everything that is buffered, in one piece. While a long frame is incomplete, only its first chunk, to avoid
   * copying.
   */
  private join(): Buffer {
    const [first] = this.chunks;
    if (first && this.chunks.length === 1) return first;
    if (first && first.length >= 4 && this.held < 4 + first.readUInt32BE()) return first;
    const all = Buffer.concat(this.chunks, this.held);
    this.chunks = [all];
    return all;
  }
}
