import { Parser } from 'htmlparser2';
import { pino } from 'pino';
import { mailPart } from './mail/mail-part.js';
import { dialectFormat, dialectParts } from '#libs/adapter-sdk';
import { mrkdwnDialect } from './slack/mrkdwn-dialect.js';
import { formatMessage as telegramText, partsToSend } from './telegram/format-message.js';

const addresses = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java&#9;script:alert(1)',
  'java&Tab;script&colon;alert(1)',
  '<java\tscript:alert(1)>',
  '< \tjavascript:alert(1)>',
  'javascript\\:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
];
/** A message of a model, in each way to write a link. */
const messages = addresses.flatMap((address) => [
  `[click](${address})`,
  `![click](${address})`,
  `[click][a]\n\n[a]: ${address}`,
  `<${address.replace(/^<|>$/g, '')}>`,
  `<a href="${address.replace(/^<|>$/g, '')}">click</a>`,
  `| a |\n|---|\n| [click](${address}) |`,
]);

/** What a reader of the HTML could follow or load, as a browser resolves it. */
function schemesIn(html: string): string[] {
  const schemes: string[] = [];
  const onattribute = (name: string, value: string): void => {
    // How a text runs leads nowhere.
    if (name === 'dir') return;
    const { protocol = 'none' } = URL.parse(value, 'https://relative.invalid') ?? {};
    schemes.push(protocol);
  };
  const parser = new Parser({ onattribute });
  parser.write(html);
  parser.end();
  return schemes;
}

const web = ['http:', 'https:', 'mailto:', 'tel:'];
const asCall = (text: string) => ({
  credentials: {},
  context: {
    organizationId: 'org_1',
    projectId: 'prj_1',
    requestId: 'req_1',
    traceparent: undefined,
    log: pino({ level: 'silent' }),
  },
  channel_address: 'ada@example.com',
  message: { text, format: 'markdown' as const },
});

it.each(messages)('no program of a reader is given an address that runs code: %j', (text) => {
  const { html = '' } = mailPart(
    asCall(text),
    { text, index: 0, count: 1, key: 'key', threadId: undefined },
    'example.com',
  );
  const telegram = [
    telegramText({ text, mode: 'rich' }, 4_096).text,
    ...partsToSend({ text, format: 'markdown' }, 4_096),
  ];
  for (const sent of [html, ...telegram]) {
    expect(schemesIn(sent).filter((scheme) => !web.includes(scheme))).toEqual([]);
    expect(sent).toContain('click'.slice(0, text.includes('click') ? 5 : 0));
  }
  // Slack makes a link of `<address|words>` alone.
  for (const sent of [
    dialectFormat({ text, mode: 'rich' }, mrkdwnDialect, 4_000).text,
    ...dialectParts({ text, format: 'markdown' }, mrkdwnDialect, 4_000),
  ]) {
    expect(sent.match(/<(?!https?:|mailto:|tel:|\/)[^>]*>/g)).toBeNull();
  }
});

it('what leads to a page stays a link', () => {
  const text = '[click](https://e.example/?next=javascript:1)';
  const { html = '' } = mailPart(
    asCall(text),
    { text, index: 0, count: 1, key: 'key', threadId: undefined },
    'example.com',
  );
  expect(schemesIn(html)).toEqual(['https:']);
  expect(telegramText({ text, mode: 'rich' }, 4_096).text).toContain('<a href="https://e.example/?next=javascript:1">');
  expect(dialectFormat({ text, mode: 'rich' }, mrkdwnDialect, 4_000).text).toContain(
    '<https://e.example/?next=javascript:1|click>',
  );
});
