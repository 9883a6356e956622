import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

const compress = promisify(deflateRaw) as (bytes: Buffer, options: { dictionary: Buffer }) => Promise<Buffer>;

/**
 * A form of a column that the service compresses itself: a byte that names the form, then raw deflate (RFC 1951). Its
 * dictionary has what most rows have, so that a short one becomes smaller, too. It is part of the form for good: another
 * text needs another form.
 */
export class PackedForm {
  private readonly dictionary: Buffer;
  private readonly mark: Buffer;

  /**
   * @param what for errors, as in `A receipt`
   * @param mostBytes that one is unpacked to: a few KB can be damaged, or made, to say that they are gigabytes
   */
  constructor(
    private readonly what: string,
    private readonly form: number,
    private readonly mostBytes: number,
    dictionary: string,
  ) {
    this.dictionary = Buffer.from(dictionary);
    this.mark = Buffer.from([form]);
  }

  /** Within this thread, for a few KB: to hand them to another one costs more than to compress them. */
  packNow(bytes: Buffer): Buffer {
    return Buffer.concat([this.mark, deflateRawSync(bytes, { dictionary: this.dictionary })]);
  }

  async pack(bytes: Buffer): Promise<Buffer> {
    return Buffer.concat([this.mark, await compress(bytes, { dictionary: this.dictionary })]);
  }

  /** What was packed, byte for byte. @throws Error for another form, which a later release wrote, and for damage */
  unpack(packed: Buffer): Buffer {
    if (packed[0] !== this.form)
      throw new Error(`${this.what} is packed in form ${packed[0]}, which a later release wrote.`);
    try {
      return inflateRawSync(packed.subarray(1), { dictionary: this.dictionary, maxOutputLength: this.mostBytes });
    } catch (error) {
      const tooLarge = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      const problem = tooLarge ? `it has more than ${this.mostBytes} bytes` : (error as Error).message;
      throw new Error(`${this.what} that is packed is damaged: ${problem}.`, { cause: error });
    }
  }
}
