import { sanitizeFileName } from './index.js';

describe('a file name', () => {
  it.each([
    ['report (final).pdf', 'report (final).pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\a.txt', 'a.txt'],
    ['invoice\u202Egpj.exe', 'invoicegpj.exe'],
    ['a\nb\tc.txt', 'a b c.txt'],
    ['a<b>:"c|d?*.txt', 'a_b___c_d__.txt'],
    ['.htaccess', 'htaccess'],
    ['name. . .', 'name'],
    ['con.txt', '_con.txt'],
    ['NUL', '_NUL'],
    ['console.log', 'console.log'],
    ['..', 'file'],
    ['', 'file'],
    ['отчёт за май.docx', 'отчёт за май.docx'],
    ['写真.jpg', '写真.jpg'],
  ])('%j becomes %j', (given, expected) => {
    expect(sanitizeFileName(given).name).toBe(expected);
  });

  it('is cut to 200 bytes of whole characters with its extension', () => {
    const { name } = sanitizeFileName(`${'写'.repeat(300)}.jpeg`);
    expect(name).toBe(`${'写'.repeat(65)}.jpeg`);
  });
});
