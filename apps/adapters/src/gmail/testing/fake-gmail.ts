import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { isJsonObject, parseJson, type Fault, type JsonObject, type FakeProvider } from '#libs/adapter-sdk';

const USERS: Record<string, string> = {
  'Bearer conformance-token-one': 'agent@example.com',
  'Bearer conformance-token-two': 'other@example.com',
};

const FAULTS: Record<Exclude<Fault, 'timeout'>, [number, string]> = {
  unauthorized: [401, 'authError'],
  forbidden: [403, 'insufficientPermissions'],
  not_found: [404, 'notFound'],
  rate_limited: [429, 'rateLimitExceeded'],
  unavailable: [503, 'backendError'],
};

/** The history of each state after the first. */
const HISTORY: JsonObject[][] = [
  [],
  [
    { id: '101', messagesAdded: [{ message: { id: 'c3', threadId: 'c3', labelIds: ['INBOX'] } }] },
    { id: '102', labelsRemoved: [{ message: { id: 'b2', threadId: 'b2' }, labelIds: ['INBOX'] }] },
  ],
  [],
];

/** A fake Gmail for the conformance kit: it reads what it is sent as MIME, which the kit's own provider cannot. */
export async function openFakeGmail(keySet: JsonObject): Promise<FakeProvider> {
  let texts: string[] = [];
  let state = 0;
  let fault: { name: Fault; on: 'send' | 'verify'; left: number } | undefined;

  const server = createServer((request, response) => {
    void readText(request).then((body) =>
      answer(
        new URL(request.url ?? '', 'http://gmail'),
        { body, user: USERS[request.headers.authorization ?? ''] },
        response,
      ),
    );
  });

  async function answer(
    url: URL,
    call: { body: string; user: string | undefined },
    response: ServerResponse,
  ): Promise<void> {
    const reply = (json: JsonObject): unknown => response.end(JSON.stringify(json));
    const fail = ([code, reason]: [number, string]): unknown =>
      response
        .writeHead(code, code === 429 ? { 'retry-after': '7' } : {})
        .end(JSON.stringify({ error: { code, errors: [{ domain: 'global', reason }], message: reason } }));
    if (url.pathname === '/certs') return void reply(keySet);
    if (call.user === undefined) return void fail(FAULTS.unauthorized);
    const method = url.pathname.replace('/gmail/v1/users/me/', '');
    const on = method === 'messages/send' ? 'send' : method === 'profile' ? 'verify' : undefined;
    if (fault && fault.on === on && fault.left-- <= 0) {
      if (fault.name !== 'timeout') fail(FAULTS[fault.name]);
      return;
    }
    if (method === 'profile') return void reply({ emailAddress: call.user, historyId: '100' });
    if (method === 'messages/send') return void reply(await take(call.body));
    if (method === 'history') return void reply(historyAfter(Number(url.searchParams.get('startHistoryId'))));
    if (method === 'messages/a1')
      return void reply({ id: 'a1', raw: Buffer.from('Subject: A\r\n\r\na').toString('base64url') });
    if (method !== 'messages') return void fail(FAULTS.not_found);
    if (url.searchParams.has('q')) return void reply({ resultSizeEstimate: 0 });
    if (url.searchParams.get('labelIds') !== 'INBOX') return void fail([400, 'invalidArgument']);
    reply({
      messages: [
        { id: 'a1', threadId: 'a1' },
        { id: 'b2', threadId: 'b2' },
      ],
    });
  }

  async function take(body: string): Promise<JsonObject> {
    const sent = parseJson(body);
    const { raw, threadId } = isJsonObject(sent) ? sent : {};
    const { text = '' } = await PostalMime.parse(Buffer.from(String(raw), 'base64url'));
    texts.push(text.trimEnd());
    return { id: `sent${texts.length}`, threadId: threadId ?? 'thread', labelIds: ['SENT'] };
  }

  function historyAfter(start: number): JsonObject {
    const history = HISTORY.slice(0, state + 1)
      .flat()
      .filter(({ id }) => Number(id) > start);
    return { history, historyId: state === 0 ? '100' : '102' };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts: () => texts,
    reset: () => {
      texts = [];
      state = 0;
      fault = undefined;
    },
    fail: (name, on, after = 0) => {
      fault = { name, on, left: after };
    },
    enter: (entered) => {
      state = entered;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
