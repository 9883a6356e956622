import { codeLinksIn, runsCode } from './code-links.js';

/** Ways to write an address that runs code; `raw` ones hold characters that a Markdown link without brackets cannot. */
const spellings = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java&#9;script:alert(1)',
  'java&Tab;script:alert(1)',
  'java&NewLine;script&colon;alert(1)',
  '&#106;&#x61;vascript:alert(1)',
  '&#x0000006A;avascript&#58;alert(1)',
  '&#1;javascript:alert(1)',
  'javascript\\:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'DATA:text/html;base64,PHNjcmlwdD4=',
  'file:///etc/passwd',
  'view-source:https://e.example',
];
const raw = [
  'java\tscript:alert(1)',
  'j\t\n\ta\tvascript:alert(1)',
  ' \u0001 javascript:alert(1)',
  '\t\tdata:text/html,x',
];
const found = (text: string): string[] => [...codeLinksIn(text)].map(({ start, end }) => text.slice(start, end));

it.each([...spellings.slice(0, 2), ...raw, 'vbscript:x', 'data:,x', 'file:///x'])('%j runs code', (address) => {
  expect(runsCode(address)).toBe(true);
});

it.each([
  'https://e.example/?a=javascript:1',
  'mailto:a@e.example',
  'javascript',
  '/javascript:1',
  '#data:x',
  'xdata:x',
])('%j runs none', (address) => {
  expect(runsCode(address)).toBe(false);
});

it.each(spellings)('a link to %j is found in Markdown and in HTML', (address) => {
  expect(found(`[here](${address})`)).toEqual(['](']);
  expect(found(`[here](<${address}> "title")`)).toEqual(['](', '<']);
  expect(found(`![here](\n  ${address} )`)).toEqual(['](']);
  expect(found(`[here]\n\n[here]: ${address}`)).toEqual([']:']);
  expect(found(`> [here]:\n> ${address}`)).toEqual([']:']);
  expect(found(`<${address}>`)).toEqual(['<']);
  expect(found(`<a title=">" href="${address}">here</a>`)).toEqual(['href=']);
  expect(found(`<a HREF = '${address}'>here</a>`)).toEqual(['HREF =']);
  expect(found(`<svg><a xlink:href=${address}>here</a></svg>`)).toEqual(['href=']);
  expect(found(`<form action="${address}">`)).toEqual(['action=']);
  expect(found(`fine https://e.example [one](${address}) [two](https://e.example) [three](${address})`)).toHaveLength(
    2,
  );
});

it.each(raw)('a link to %j is found where such characters may be', (address) => {
  expect(found(`[here](<${address.replaceAll('\n', '')}>)`)).toEqual(['](', '<']);
  expect(found(`<a href="${address}">here</a>`)).toEqual(['href=']);
});

it('what leads elsewhere, or is no link, is not found', () => {
  for (const text of [
    'JavaScript: the good parts. Data: five rows (file: none).',
    '[a](https://e.example/?next=javascript:alert(1)) [b](/data:x) [c](#file:x) [d](mailto:a@e.example)',
    '[note] data: five, a < b, x <y> data: z, href, hrefs = 3',
    '[java script](docs/javascript) <https://e.example/data:x>',
    '[a](j a v a script:x) [b](javascript) [c](java&script:x) [d](jav&#9999999999;script:x)',
  ]) {
    expect([text, found(text)]).toEqual([text, []]);
  }
});

it('a picture in its own address is one, a drawing that may hold code is none', () => {
  const pictures = (text: string): boolean[] => [...codeLinksIn(text)].map(({ isPicture }) => isPicture);
  expect(
    pictures('![a](data:image/png;base64,aGk=) ![b](data:image/svg+xml,<svg/>) [c](data:text/html,image/png;)'),
  ).toEqual([true, false, false]);
});

it.each(['<', '](', ']:', 'href=', 'href ', '](\t', '](j\t', '](&#9;', '](&#0', '](\\', '<javascript', ' ', '"<'])(
  'takes linear time for any number of %j',
  (piece) => {
    const timed = (times: number): number => {
      const text = piece.repeat(times);
      const startMs = performance.now();
      found(text);
      return performance.now() - startMs;
    };
    timed(1_000);
    // Quadratic time would be 400 times as long.
    expect(timed(200_000)).toBeLessThan(timed(10_000) * 100 + 1_000);
  },
);
