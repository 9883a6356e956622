import { PackedForm } from './index.js';

const form = new PackedForm('A note', 1, 1_000, 'words of a note');
const bytes = Buffer.from('words of a note, twice: words of a note. ü\0');

describe('a packed form', () => {
  it('is read as it was written, by whichever way', async () => {
    expect(form.unpack(form.packNow(bytes))).toEqual(bytes);
    expect(form.unpack(await form.pack(bytes))).toEqual(bytes);
  });

  it('is unpacked up to its limit, and refused beyond it', () => {
    expect(form.unpack(form.packNow(Buffer.alloc(1_000, 'a')))).toHaveLength(1_000);
    expect(() => form.unpack(form.packNow(Buffer.alloc(1_001, 'a')))).toThrow(
      'A note that is packed is damaged: it has more than 1000 bytes.',
    );
  });

  it('that is cut or of another release is refused by name', () => {
    expect(() => form.unpack(form.packNow(bytes).subarray(0, 12))).toThrow(
      'A note that is packed is damaged: unexpected end of file.',
    );
    expect(() => form.unpack(Buffer.from([2]))).toThrow('A note is packed in form 2, which a later release wrote.');
  });
});
