import { newId } from '#libs/contracts';
import { until } from '#libs/testing';
import { randomUUID } from 'node:crypto';
import { anonymous, origin, shows, WebChat } from '../testing/web-chat.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';

let chat: WebChat;
beforeAll(async () => {
  chat = new WebChat();
  await chat.start(['files'], { ORIGINS: origin });
});
afterEach(() => chat.reset());
afterAll(() => chat.close());

describe('a file', () => {
  const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
  const sendFile = async (visitor: object, text: string, more: object = {}) => {
    const file = { id: randomUUID(), name: 'notes.txt', content_type: 'text/plain', content_base64: base64(text) };
    const answer = await chat.post('files', { visitor, ...file, ...more });
    const body = (await answer.json()) as { id: string; code?: string; limit?: { name: string } };
    return { status: answer.status, ...body };
  };
  const readFile = async (visitor: object, id: string, headers?: object) => {
    const answer = await chat.post('files/read', { visitor, id }, headers);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it('of a visitor is an attachment of the event, which only the same visitor can name and read', async () => {
    const [jane, joe] = [anonymous(), anonymous()];
    const { id } = await sendFile(jane, 'the notes');
    expect((await sendFile(jane, 'something else', { id })).status).toBe(200);
    expect((await chat.write(joe, { files: [id] })).body.code).toBe('file_not_found');
    const page = await chat.open(jane);
    expect((await chat.write(jane, { text: '', files: [id] })).status).toBe(200);
    const head = { id, name: 'notes.txt', content_type: 'text/plain', size: 9 };
    const taken = [...chat.stored.values()].at(-1)!;
    expect(taken.files).toEqual([head]);
    await until('the page has it', () => page.messages.length === 1);
    expect(page.messages[0]).toMatchObject({ files: [head] });
    const read = await readFile(jane, id);
    expect([read.status, read.text]).toEqual([200, 'the notes']);
    expect(read.headers.get('content-disposition')).toBe('attachment');
    expect(read.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await readFile(joe, id)).status).toBe(404);
    expect((await readFile(jane, id, { origin: 'https://evil.example' })).status).toBe(403);
    const call = { app_id: chat.app, resource_path: '' };
    const fetched = async (file_path: string) =>
      (await chat.world.internal('POST', 'adapter-calls/fetch-file', { ...call, file_path })).body as object;
    expect(await fetched(`${taken.visitor.id}/${id}`)).toMatchObject({
      content_base64: base64('the notes'),
      content_type: 'text/plain',
    });
    expect(await fetched(`anon:other/${id}`)).toMatchObject({ ok: false, error: 'not_found' });
  });

  it('that is too large, of another kind, or one too many is refused with the setting that says so', async () => {
    const visitor = anonymous();
    const page = await chat.open(visitor);
    await until('it is open', () => page.events.length > 0);
    expect(page.events[0]?.data).toMatchObject({ files: { count: 2, bytes: 1_000 } });
    expect((await sendFile(visitor, 'x'.repeat(1_001))).code).toBe('file_too_large');
    expect((await sendFile(visitor, '<svg/>', { content_type: 'image/svg+xml' })).code).toBe('file_type_refused');
    expect((await sendFile(visitor, 'no picture', { content_type: 'image/png' })).code).toBe('file_type_refused');
    expect((await sendFile(visitor, '', {})).code).toBe('invalid_request');
    expect((await sendFile(visitor, '', { content_base64: '???' })).code).toBe('invalid_request');
    const ids = [];
    for (let at = 0; at < 4; at += 1) ids.push((await sendFile(visitor, `${at}`)).id);
    expect(await sendFile(visitor, 'one more')).toMatchObject({
      status: 429,
      limit: { name: 'WEB_CHAT_FILES_PER_HOUR' },
    });
    expect((await chat.write(visitor, { text: 'x', files: ids.slice(0, 3) })).body.code).toBe('too_many_files');
  });

  it('of an answer is read by its visitor alone, once however often it was sent, and goes with its message', async () => {
    const [jane, joe] = [anonymous(), anonymous()];
    const address = await chat.addressOf(jane);
    const message = { text: 'Here.', attachments: [{ name: 'a/b.txt', content_base64: base64('answer') }] };
    const sent = { app_id: chat.app, channel_address: address, idempotency_key: newId('key'), message };
    const { body } = await chat.world.internal('POST', 'adapter-calls/deliver', sent);
    await chat.deliveries.inState(String(body.delivery_id), 'delivered');
    const page = await chat.open(jane);
    await shows(page, 'visitor: hello', 'agent: Here.');
    const [file] = (page.messages[1] as { files?: { id: string; name: string }[] }).files ?? [];
    expect(file).toMatchObject({ name: 'a_b.txt', size: 6 });
    expect(await readFile(jane, file!.id)).toMatchObject({ status: 200, text: 'answer' });
    expect((await readFile(joe, file!.id)).status).toBe(404);
    // No visitor can put a file of an answer into a message of its own.
    expect((await chat.write(jane, { files: [file!.id] })).body.code).toBe('file_not_found');
    const files = chat.gateways[0]!.get(WebChatFileRepository, { strict: false });
    await chat.world.pool.query(
      `UPDATE gateway.web_chat_file SET created_at = now() - interval '9 days' WHERE visitor = $1`,
      [address],
    );
    expect(await files.removeOld(10, 100)).toBe(0);
    expect(await files.removeOld(8, 100)).toBe(1);
    expect((await readFile(jane, file!.id)).status).toBe(404);
  });
});
