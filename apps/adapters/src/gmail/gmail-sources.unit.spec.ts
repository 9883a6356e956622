import type { ChangeRecord } from '#libs/adapter-sdk';
import { MAILBOX } from './testing/gmail-front.js';
import { gmailError, MAIL_HEADERS, openGmail, receive, type FakeGmailWorld } from './testing/gmail-under-test.js';

let gmail: FakeGmailWorld;
beforeAll(async () => {
  gmail = await openGmail();
});
beforeEach(() => gmail.front.intercept(undefined));
afterAll(() => gmail.close());

describe('the label as a document source', () => {
  interface Listing {
    changes: ChangeRecord[];
    cursor: string;
    full?: boolean;
    error?: string;
  }
  const list = (cursor: string | null, resource_path = 'Label_docs') =>
    gmail.call<Listing>('sources/list-changes', { resource_path, cursor });

  it('lists everything, then additions and removals, with a cursor that stays the same while nothing changes', async () => {
    const { id: label } = await gmail.front.call('labels', { name: 'docs' });
    const place = String(label);
    const a = await receive(gmail.front, [...MAIL_HEADERS, 'Message-ID: <a@docs>']);
    const b = await receive(gmail.front, [...MAIL_HEADERS, 'Message-ID: <b@docs>']);
    await gmail.front.call(`messages/${String(a.id)}/modify`, { addLabelIds: [place] });
    const first = await list(null, place);
    expect(first).toMatchObject({
      full: true,
      changes: [{ path: `${String(a.id)}.eml`, fingerprint: a.id, status: 'added' }],
    });
    const same = await list(first.cursor, place);
    expect(same.changes).toEqual([]);
    expect(same.full).toBeUndefined();
    expect((await list(same.cursor, place)).cursor).toBe(same.cursor);

    await gmail.front.call(`messages/${String(b.id)}/modify`, { addLabelIds: [place] });
    await gmail.front.call(`messages/${String(a.id)}/modify`, { removeLabelIds: [place] });
    const after = await list(same.cursor, place);
    expect(after.changes).toEqual([
      { path: `${String(b.id)}.eml`, fingerprint: b.id, status: 'added' },
      { path: `${String(a.id)}.eml`, fingerprint: null, status: 'removed' },
    ]);
  });

  it('is for nobody but the mailbox, whose delegates Gmail does not name', async () => {
    const access = { audience: 'listed', readers: [MAILBOX] };
    const first = await list(null, 'INBOX');
    expect(first).toMatchObject({ access });
    expect(await list(first.cursor, 'INBOX')).toMatchObject({ access });
  });

  it('fetches a mail as it was received, and its attachments', async () => {
    const raw = [
      ...MAIL_HEADERS,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'hi',
      '--b',
      'Content-Type: text/csv',
      'Content-Disposition: attachment; filename=a.csv',
      '',
      'x;y',
      '--b--',
    ].join('\r\n');
    const { id } = await gmail.front.call('messages/import', { raw: Buffer.from(raw).toString('base64url') });
    const mail = await gmail.post('sources/fetch-file', { resource_path: 'INBOX', file_path: `${String(id)}.eml` });
    expect(mail.contentType).toBe('message/rfc822');
    expect(mail.text).toBe(raw);
    const message = await gmail.parse(await gmail.front.call(`messages/${String(id)}`));
    const [attachment] = message.metadata?.attachments ?? [];
    const bytes = await gmail.post('sources/fetch-file', { resource_path: 'INBOX', file_path: attachment?.fetch_ref });
    expect(bytes.text.trim()).toBe('x;y');
    for (const file_path of ['gone.eml', 'a/b/c', 'x']) {
      const answer = await gmail.post('sources/fetch-file', { resource_path: 'INBOX', file_path });
      expect(JSON.parse(answer.text)).toMatchObject({ ok: false, error: 'not_found' });
    }
  });

  it('asks for a restart when the history does not reach back, or the cursor is invalid', async () => {
    const first = await list(null, 'INBOX');
    gmail.front.intercept((_request, response) =>
      response.writeHead(404).end(gmailError(404, 'notFound', 'NOT_FOUND')),
    );
    expect(await list(first.cursor, 'INBOX')).toMatchObject({ ok: false, error: 'cursor_expired' });
    for (const cursor of ['bogus', '', Buffer.from('[1,"history","x",""]').toString('base64url')]) {
      expect(await list(cursor)).toMatchObject({ ok: false, error: 'cursor_expired' });
    }
    expect(await list(null, '../x')).toMatchObject({ ok: false, error: 'not_found' });
  });
});
