import { archiveOf, docxOf, pdfOf, pptxOf, xlsxOf } from '../testing/document-files.js';
import { engineDefaults } from '../testing/engine-world.js';
import { DocumentReader } from './document-reader.service.js';

const readers: DocumentReader[] = [];
function readerWith(over: object = {}): DocumentReader {
  const reader = new DocumentReader({ ...engineDefaults(), DOCUMENT_MAX_CHARS: 50_000, ...over });
  readers.push(reader);
  return reader;
}
afterEach(() => {
  for (const reader of readers.splice(0)) reader.onModuleDestroy();
});
const read = (bytes: Buffer, path = 'file', over: object = {}) =>
  readerWith(over).read(bytes, 'application/octet-stream', path);

describe('the text of a document', () => {
  it('has the pages of a PDF by their numbers', async () => {
    expect(await read(pdfOf([['Refunds take', '14 days.'], ['The end.']]))).toEqual({
      text: '## Page 1\n\nRefunds take\n14 days.\n\n## Page 2\n\nThe end.',
      note: null,
    });
  });

  it('has headings, tables and pages of a Word file, and nothing that it hides', async () => {
    const paragraph = (text: string, before = ''): string => `<w:p>${before}<w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body = [
      paragraph('Refunds', '<w:pPr><w:pStyle w:val="Heading2"/></w:pPr>'),
      paragraph('Fish &amp; chips'),
      '<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden order</w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>',
      `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}</w:tc></w:tr></w:tbl>`,
      '<w:p><w:r><w:lastRenderedPageBreak/><w:t>Last</w:t></w:r></w:p>',
    ];
    expect(await read(docxOf(body.join('')))).toEqual({
      text: '## Refunds\n\nFish & chips\n\na  | b\n\n[page 2]\nLast',
      note: null,
    });
  });

  it('has the slides of a presentation in the order in which they are shown', async () => {
    expect(await read(pptxOf([['One', 'two'], ['Three']], [2, 1]))).toEqual({
      text: '## Slide 1\n\nThree\n\n## Slide 2\n\nOne\ntwo',
      note: null,
    });
  });

  it('has the rows of a workbook, with dates as such', async () => {
    const rows = [
      '<c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c>',
      '<c r="A2" s="1"><v>45989</v></c><c r="B2"><v>3.5</v></c><c r="C2" t="b"><v>1</v></c>',
      '<c r="A3" t="inlineStr"><is><t>in line</t></is></c>',
    ];
    expect(await read(xlsxOf('Orders', rows, ['Day', 'Paid']))).toEqual({
      text: '## Orders\n\nDay |  | Paid\n2025-11-28 | 3.5 | TRUE\nin line',
      note: null,
    });
  });

  it('of HTML is what it shows, and of CSV its lines', async () => {
    expect(await read(Buffer.from('<p>Tea<script>no()</script>'), 'a.html')).toMatchObject({ text: 'Tea' });
    expect(await read(Buffer.from('a;b\n1;2\n'), 'a.csv')).toMatchObject({ text: 'a;b\n1;2\n' });
  });

  it('is refused for what has none', async () => {
    expect(await read(pdfOf([[]]))).toEqual({ refused: 'not_text' });
    expect(await read(archiveOf({ 'photo.txt': 'a' }))).toEqual({ refused: 'not_text' });
    expect(await read(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 1, 2]))).toEqual({ refused: 'not_text' });
    expect(await read(Buffer.from('%PDF-1.4 and nothing else'))).toEqual({ refused: 'unreadable' });
    expect(await read(docxOf('<w:p/>').subarray(0, 60))).toEqual({ refused: 'unreadable' });
  });
});

describe('a file that is too much', () => {
  it('unpacked, in pages or in characters is refused', async () => {
    const bomb = docxOf(`<w:p><w:r><w:t>${' '.repeat(3_000_000)}</w:t></w:r></w:p>`);
    expect(bomb.length).toBeLessThan(10_000);
    expect(await read(bomb, 'a', { DOCUMENT_READ_BYTES: 2_000_000 })).toEqual({ refused: 'too_large' });
    expect(await read(pdfOf([['x']], 30), 'a', { DOCUMENT_READ_PAGES: 20 })).toEqual({ refused: 'too_large' });
    expect(await read(pdfOf([Array.from({ length: 10 }, () => 'x'.repeat(60))], 100))).toEqual({
      refused: 'too_large',
    });
  });

  it('for its time or memory ends its process, and the next file is read', async () => {
    const slow = readerWith({ DOCUMENT_READ_MS: 4_000, DOCUMENT_READERS: 1 });
    // Without its time it would be a file without words.
    const long = pdfOf([Array.from({ length: 20_000 }, () => '')], 1_900);
    const [late, small] = await Promise.all([
      slow.read(long, '', 'late'),
      slow.read(docxOf('<w:p><w:r><w:t>small</w:t></w:r></w:p>'), '', 'small'),
    ]);
    expect([late, small]).toEqual([{ refused: 'too_large' }, { text: 'small', note: null }]);
    expect(await read(pdfOf([['x']], 1_900), 'a', { DOCUMENT_READ_MEMORY_MB: 40 })).toEqual({ refused: 'too_large' });
  });
});
