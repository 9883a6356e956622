import { growth } from '#libs/testing';
import { headerMap, readMime } from './read-mime.js';
import { mailMetadata, senderOf } from './mail-metadata.js';
import { addressIn, addressListText } from './mail-address.js';

const mail = (...headers: [string, string][]) => ({
  headers: headerMap(headers),
  subject: undefined,
  lines: [],
  files: [],
  attachments: [],
});

describe('the sender of a mail', () => {
  it.each([
    ['jane@example.com (Jane Doe)', 'jane@example.com', 'Jane Doe'],
    ['Jane (at work) <Jane@Example.com>', 'jane@example.com', 'Jane'],
    ['jane@example.com, "Roe, R" <roe@example.com>', 'jane@example.com', undefined],
    ['=?utf-8?q?J=C3=A4ne?= <jane@example.com>, bob@example.com', 'jane@example.com', 'Jäne'],
    ['"no address", Bob <bob@example.com>', 'bob@example.com', 'Bob'],
    ['Team: ann@example.com, bob@example.com;', 'ann@example.com', undefined],
    ['"boss@example.com" <jane@example.com>', 'jane@example.com', 'boss@example.com'],
    ['=?utf-8?q?a=0D=0ABcc=3A_x?= <jane@example.com>', 'jane@example.com', 'a Bcc: x'],
  ])('%s is %s', (from, email, name) => {
    const metadata = mailMetadata(mail(['From', from]));
    expect(senderOf(mail(['From', from]).headers)).toBe(email);
    expect(metadata.sender).toEqual({ id: email, email, ...(name !== undefined && { name }) });
    expect(metadata.channel_address).toBe(email);
  });

  it.each(['"two words"@example.com', '"victim@example.com evil"@example.org', 'nobody', '<>', ''])(
    'cannot be answered: %s',
    (from) => {
      const metadata = mailMetadata(mail(['From', from]));
      expect(metadata.channel_address).toBeNull();
      expect(metadata).not.toHaveProperty('sender');
      expect(senderOf(mail(['From', from]).headers)).not.toBe('');
    },
  );

  it('is answered at the address that the mail asks for', () => {
    const from: [string, string] = ['From', 'Jane <jane@example.com>'];
    expect(mailMetadata(mail(from, ['Reply-To', 'desk@example.com (Desk)'])).channel_address).toBe('desk@example.com');
    expect(mailMetadata(mail(from, ['Reply-To', 'none'])).channel_address).toBe('jane@example.com');
    expect(mailMetadata(mail(from, ['Reply-To', 'desk@example.com'])).sender?.email).toBe('jane@example.com');
  });
});

describe('the recipients of a mail', () => {
  it('are shown with decoded names, each still separate from the next', () => {
    const metadata = mailMetadata(
      mail(
        ['To', '=?iso-8859-1?q?M=FCller?= <m@example.com>, =?utf-8?b?w4k=?= <e@example.com>'],
        ['Cc', '=?utf-8?q?Doe=2C_J=C3=A4ne?= <jane@example.com>, undisclosed-recipients:;'],
      ),
    );
    expect(metadata['to']).toBe('Müller <m@example.com>, É <e@example.com>');
    expect(metadata['cc']).toBe('"Doe, Jäne" <jane@example.com>, undisclosed-recipients:;');
  });

  it('do not include a mailbox that is only spelt in a name', () => {
    const text = addressListText('=?utf-8?q?=22Boss=22_=3Cboss=40example=2Ecom=3E?= <jane@example.com>');
    expect(text).toBe('"\\"Boss\\" <boss@example.com>" <jane@example.com>');
    expect(addressIn(text)).toBe('jane@example.com');
  });

  it.each(['(', '"', '<a@b>, ', '=?utf-8?q?=41?= ', 'a:', '\\', ';'])(
    'are read in linear time, however many %j there are',
    (piece) => {
      expect(growth(20_000, (times) => piece.repeat(times), addressListText)).toBeLessThan(1.5);
    },
  );
});

describe('a mail that no person wrote', () => {
  const none = { auto_submitted: false, bounce: false, mailing_list: false, notification: false };
  const from: [string, string] = ['From', 'Jane <jane@example.com>'];

  it.each([
    [['Auto-Submitted', 'no'], {}],
    [['Auto-Submitted', 'auto-replied'], { auto_submitted: true }],
    [['Precedence', 'bulk'], { auto_submitted: true }],
    [['X-Auto-Response-Suppress', 'All'], { auto_submitted: true }],
    [['Return-Path', '<>'], { auto_submitted: true, bounce: true }],
    [['Content-Type', 'multipart/report; report-type=delivery-status'], { auto_submitted: true, bounce: true }],
    [
      ['List-Id', 'Plans <plans.example.com>'],
      { auto_submitted: true, mailing_list: true, list_id: 'Plans <plans.example.com>' },
    ],
    [['List-Post', '<mailto:plans@example.com>'], { auto_submitted: false, mailing_list: true }],
    [['Precedence', 'list'], { auto_submitted: true, mailing_list: true }],
    [['Reply-To', 'no-reply@example.com'], { auto_submitted: true, notification: true }],
  ] as [[string, string], object][])('with %j says what it is', (header, expected) => {
    expect(mailMetadata(mail(from, header))).toMatchObject({ ...none, ...expected });
  });

  it('is distinguished as absence note or report, though neither has a return path', () => {
    const note = mail(from, ['Return-Path', '<>'], ['Auto-Submitted', 'auto-replied (vacation)']);
    expect(mailMetadata(note)).toMatchObject({ ...none, auto_submitted: true });
    const report: [string, string] = ['Content-Type', 'multipart/report; report-type="delivery-status"; boundary=x'];
    const bounced = mail(from, ['Return-Path', '<>'], ['Auto-Submitted', 'auto-replied'], report);
    expect(mailMetadata(bounced)).toMatchObject({ bounce: true });
  });

  it('is recognised by its sender: a mailer, or one that reads no answer', () => {
    expect(mailMetadata(mail(['From', 'MAILER-DAEMON@example.com (Mail Delivery System)']))).toMatchObject({
      bounce: true,
    });
    expect(mailMetadata(mail(['From', 'Shop <do-not-reply@example.com>']))).toMatchObject({ notification: true });
    const answerable = mail(['From', 'Shop <noreply@example.com>'], ['Reply-To', 'desk@example.com']);
    expect(mailMetadata(answerable)).toMatchObject(none);
  });

  it('is recognised in MIME form as well', async () => {
    const read = await readMime('From: =?utf-8?q?J=C3=A9?= <j@example.org>\r\nList-Id: <l.example.org>\r\n\r\nhello');
    expect(read && mailMetadata(read)).toMatchObject({ mailing_list: true, sender: { name: 'Jé' } });
  });
});
