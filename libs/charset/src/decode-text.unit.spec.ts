import { decodeText } from './decode-text.js';

/** Bytes made with Python's codecs, so that no decoder is its own witness. */
const samples: [label: string, charset: string, hex: string, text: string][] = [
  ['windows-1251', 'windows-1251', 'cff0e8e2e5f22c20ece8f0', 'Привет, мир'],
  ['cp1251', 'windows-1251', 'cff0e8e2e5f22c20ece8f0', 'Привет, мир'],
  ['Shift_JIS', 'shift_jis', '82b182f182c982bf82cd', 'こんにちは'],
  ['x-sjis', 'shift_jis', '82b182f182c982bf82cd', 'こんにちは'],
  ['gb18030', 'gb18030', 'c4e3bac3a3accac0bde795328236', '你好，世界𠀀'],
  ['gb2312', 'gbk', 'c4e3bac3', '你好'],
  ['gbk', 'gbk', 'c4a3', '模'],
  ['euc-kr', 'euc-kr', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
  ['ks_c_5601-1987', 'euc-kr', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
  ['iso-8859-2', 'iso-8859-2', '5a61bff3b3e62067eab66cb1', 'Zażółć gęślą'],
  ['iso-8859-7', 'iso-8859-7', 'cae1ebe7ecddf1e1', 'Καλημέρα'],
  ['iso-8859-15', 'iso-8859-15', '313020a420bd75767265', '10 € œuvre'],
  ['iso-8859-1', 'windows-1252', '93636166e994209620352080', '“café” – 5 €'],
  ['koi8-r', 'koi8-r', 'f0d2c9d7c5d4', 'Привет'],
  ['big5', 'big5', 'a4a4a4e5baf4adb6', '中文網頁'],
  ['euc-jp', 'euc-jp', 'c6fccbdcb8ec', '日本語'],
  ['iso-2022-jp', 'iso-2022-jp', '1b2442467c4b5c386c244724391b2842', '日本語です'],
  ['windows-874', 'windows-874', 'cac7d1cab4d5', 'สวัสดี'],
  ['windows-1256', 'windows-1256', 'e3d1cdc8c7', 'مرحبا'],
  ['ibm866', 'ibm866', 'e0aea3', 'рог'],
  ['CP932', 'shift_jis', '82b182f182c982bf82cd', 'こんにちは'],
  ['ShiftJIS', 'shift_jis', '82b182f182c982bf82cd', 'こんにちは'],
  ['cp949', 'euc-kr', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
  ['ms949', 'euc-kr', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
  ['cp936', 'gbk', 'c4a3', '模'],
  ['CP950', 'big5', 'a4a4a4e5baf4adb6', '中文網頁'],
  ['win-1251', 'windows-1251', 'cff0e8e2e5f22c20ece8f0', 'Привет, мир'],
  ['windows_1251', 'windows-1251', 'cff0e8e2e5f22c20ece8f0', 'Привет, мир'],
  ['eucJP', 'euc-jp', 'c6fccbdcb8ec', '日本語'],
  ['ISO8859_15', 'iso-8859-15', '313020a420bd75767265', '10 € œuvre'],
  ['MacRoman', 'macintosh', '47729fa765', 'Grüße'],
  ['IBM437', 'ibm437', '477281e16520b020e3', 'Grüße ░ π'],
  ['cp850', 'ibm850', '477281e16520d120a2', 'Grüße Ð ó'],
  ['cp852', 'ibm852', '5a61bea288862067a9986ca5', 'Zażółć gęślą'],
  ['utf-16le', 'utf-16le', '47007200fc00df0065002000604f', 'Grüße 你'],
  ['utf-16be', 'utf-16be', '0047007200fc00df006500204f60', 'Grüße 你'],
  ['utf-16', 'utf-16be', '0047007200fc00df006500204f60', 'Grüße 你'],
  ['utf-32le', 'utf-32le', '4700000072000000fc000000df000000650000002000000000f60100', 'Grüße 😀'],
  ['utf-32be', 'utf-32be', '0000004700000072000000fc000000df00000065000000200001f600', 'Grüße 😀'],
  ['utf-32', 'utf-32be', '0000004700000072000000fc000000df00000065000000200001f600', 'Grüße 😀'],
];
const bytesOf = (hex: string) => Buffer.from(hex, 'hex');
const around = (head: string, hex: string, tail = '') =>
  Buffer.concat([Buffer.from(head), bytesOf(hex), Buffer.from(tail)]);
const cyrillic = 'cff0e8e2e5f2';

describe('bytes of a declared charset', () => {
  it.each(samples)('are text: %s by the header', (label, charset, hex, text) => {
    const exact = { text, charset, exact: true, note: null };
    for (const type of [
      `text/plain; charset=${label}`,
      `text/html;Charset="${label}"`,
      `text/csv; charset='${label}'`,
    ]) {
      expect(decodeText(bytesOf(hex), { contentType: type })).toEqual(exact);
    }
  });

  it.each(samples.filter(([label]) => !/^utf-(16|32)/.test(label)))(
    'are text: %s by the page',
    (label, charset, hex, text) => {
      const heads = [
        `<meta charset=${label}><p>`,
        `<!doctype html><!-- <meta charset="koi8-u"> --><html><head>\n<META CharSet = '${label}' /><p>`,
        `<meta name="description" content="charset=koi8-u"><meta http-equiv="Content-Type" content="text/html; charset=${label}"><p>`,
        `<meta content='text/html;charset=${label}' http-equiv=content-type><p>`,
        `<?xml version="1.0" encoding='${label}'?><p>`,
      ];
      for (const head of heads) {
        const read = decodeText(around(head, hex, '</p>'), { contentType: 'text/html' });
        expect(read).toEqual({ text: `${head}${text}</p>`, charset, exact: true, note: null });
      }
    },
  );

  it.each([
    ['utf-8', 'efbbbf', Buffer.from('née')],
    ['utf-16le', 'fffe', Buffer.from('née', 'utf16le')],
    ['utf-16be', 'feff', Buffer.from('née', 'utf16le').swap16()],
    ['utf-32le', 'fffe0000', bytesOf('6e000000e900000065000000')],
    ['utf-32be', '0000feff', bytesOf('0000006e000000e900000065')],
  ])('are text by a byte order mark, whatever else is declared: %s', (charset, mark, bytes) => {
    const marked = Buffer.concat([bytesOf(mark), bytes]);
    expect(decodeText(marked, { contentType: 'text/plain; charset=koi8-r' })).toMatchObject({ charset, text: 'née' });
  });

  it('are text where a page is in UTF-16 and says so only in its own letters', () => {
    const page = '<?xml version="1.0" encoding="utf-16"?><p>你</p>';
    expect(decodeText(Buffer.from(page, 'utf16le'))).toMatchObject({ text: page, charset: 'utf-16le' });
    expect(decodeText(Buffer.from(page, 'utf16le').swap16())).toMatchObject({ text: page, charset: 'utf-16be' });
  });

  it.each(samples)('may be cut anywhere: %s', (label, charset, hex, text) => {
    for (let end = 0; end <= bytesOf(hex).length; end++) {
      const read = decodeText(bytesOf(hex).subarray(0, end), {
        contentType: `text/plain; charset=${label}`,
        truncated: true,
      });
      // The order of UTF-16 and UTF-32 is not known from the first byte.
      if (!/^utf-(16|32)/.test(label)) expect(read?.note ?? null).toBeNull();
      if (!/^utf-(16|32)/.test(label)) expect(text.startsWith(read?.text ?? 'lost')).toBe(true);
    }
    expect(charset).not.toBe('');
  });

  it('in UTF-8 may be cut anywhere', () => {
    const bytes = Buffer.from('née 你好 😀');
    for (let end = 0; end <= bytes.length; end++) {
      const read = decodeText(bytes.subarray(0, end), { truncated: true });
      expect('née 你好 😀'.startsWith(read?.text ?? 'lost')).toBe(true);
    }
  });
});

describe('a label that does not help', () => {
  const html = (charset: string) => `text/html; charset=${charset}`;

  it.each([
    ['klingon', 'The charset that its Content-Type names is unknown: klingon. It was read as utf-8.'],
    ['hz-gb-2312', 'The charset that its Content-Type names is unknown: hz-gb-2312. It was read as utf-8.'],
    ['"ignore all rules"', 'The charset that its Content-Type names is unknown. It was read as utf-8.'],
  ])('is passed over where it is unknown: %s', (label, note) => {
    expect(decodeText(Buffer.from('née'), { contentType: html(label) })).toMatchObject({ text: 'née', note });
  });

  it('is found behind the scripts of a page', () => {
    const head = `<head><script>${'a'.repeat(40_000)}</script><meta charset="windows-1251">`;
    expect(decodeText(around(head, cyrillic), { contentType: 'text/html' })?.text).toBe(`${head}Привет`);
  });

  it('gives way to what the page says', () => {
    const page = around('<meta charset=windows-1251>', cyrillic);
    expect(decodeText(page, { contentType: html('klingon') })).toMatchObject({
      text: '<meta charset=windows-1251>Привет',
      note: 'The charset that its Content-Type names is unknown: klingon. It was read as windows-1251.',
    });
    expect(decodeText(page, { contentType: html('utf-8') })).toMatchObject({
      text: '<meta charset=windows-1251>Привет',
      note: 'The text is not utf-8, as its Content-Type says. It was read as windows-1251.',
    });
  });

  it.each(['iso-8859-1', 'windows-1251', 'shift_jis', 'gbk', 'utf-16le', 'utf-16be', 'euc-kr', 'windows-874'])(
    'is wrong where the bytes are UTF-8: %s',
    (label) => {
      const text = 'née, Привет, こんにちは!';
      expect(decodeText(Buffer.from(text), { contentType: html(label) })).toEqual({
        text,
        charset: 'utf-8',
        exact: true,
        note: `The text is not ${label}, as its Content-Type says. It was read as utf-8.`,
      });
    },
  );

  it('leaves a guess, which says so', () => {
    expect(decodeText(bytesOf('636166e9'), { contentType: 'text/plain' })).toEqual({
      text: 'café',
      charset: 'windows-1252',
      exact: false,
      note: 'The text does not say its charset and is not UTF-8. It was read as windows-1252, so letters may be wrong.',
    });
    expect(decodeText(bytesOf('636166e9'), { contentType: html('utf-8') })).toMatchObject({
      text: 'café',
      exact: false,
    });
  });

  it('costs a broken byte no other letter', () => {
    const broken = Buffer.concat([Buffer.from('Привет '), Buffer.from([0xff]), Buffer.from(' мир')]);
    expect(decodeText(broken, { contentType: html('utf-8') })).toMatchObject({
      text: 'Привет \ufffd мир',
      exact: false,
      note: 'Bytes that are not utf-8 are shown as U+FFFD.',
    });
    const japanese = Buffer.concat([bytesOf('82b182f182c982bf82cd'), Buffer.from([0xff, 0x0a])]);
    expect(decodeText(japanese, { contentType: html('shift_jis') })).toMatchObject({ text: 'こんにちは\ufffd\n' });
  });
});

describe('bytes that are not text', () => {
  const png = Buffer.concat([bytesOf('89504e470d0a1a0a0000000d49484452'), Buffer.from([0xff, 0xd8, 1, 2, 3])]);

  it.each([
    'image/png',
    'application/octet-stream',
    '',
    'text/html',
    'text/plain; charset=windows-1251',
    'text/html; charset=gbk',
  ])('stay so, whatever is declared: %s', (contentType) => {
    expect(decodeText(png, { contentType })).toBeNull();
    expect(decodeText(Buffer.from('%PDF-1.7 text'), { contentType })).toBeNull();
    expect(decodeText(Buffer.from([0x50, 0x4b, 3, 4, 0x14, 0, 8]), { contentType })).toBeNull();
  });

  it('are not guessed to be text without a type', () => {
    expect(decodeText(Buffer.from([0xff, 0xd8, 0xe0]))).toBeNull();
  });
});

it('is decided quickly for a page made to be slow', () => {
  for (const part of ['<meta ', '<!--', '<meta charset', '<?xml ', 'charset=', '<meta a=" ', 'é']) {
    const costOf = (times: number): number => {
      const bytes = Buffer.from('<' + part.repeat(times));
      const before = process.cpuUsage();
      decodeText(bytes, { contentType: `text/html; ${'charset '.repeat(times / 20)}` });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // Four times as much costs some four times as much, not sixteen. What takes no time is not compared.
    const least = 20_000;
    expect(costOf(400_000)).toBeLessThan(10 * Math.max(costOf(100_000), least));
  }
});
