import { type Activity, type CloudAdapter, TestAdapter } from 'botbuilder';
import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import {
  BotFrameworkBot,
  botFrameworkKeys as keys,
  botFrameworkToken,
  cloudAdapterAt,
  teamsApp,
  teamsTenant,
  type TokenOver,
} from '../testing/bot-framework.js';
import { type ProviderServer, startProviderServer } from '../testing/provider-server.js';
import { createTeamsAdapter } from './teams.adapter.js';

const credentials = { app_id: teamsApp, app_password: 'secret', tenant_id: teamsTenant };

let microsoft: ProviderServer;
let adapter: AdapterHost;
let theirs: BotFrameworkBot;

beforeAll(async () => {
  microsoft = await startProviderServer();
  const { url } = microsoft;
  adapter = await hostAdapter((http) =>
    createTeamsAdapter({ ...http, loginUrl: url, serviceUrl: url, jwksUrl: `${url}/keys` }),
  );
  theirs = new BotFrameworkBot(url);
});
afterAll(async () => {
  await adapter.close();
  await microsoft.close();
});
beforeEach(() => {
  microsoft.seen.length = 0;
  theirs.reset();
  microsoft.answer = ({ url }) => {
    if (url === '/openid')
      return { body: { issuer: 'https://api.botframework.com', jwks_uri: `${microsoft.url}/keys` } };
    if (url === '/keys') return { body: { keys } };
    if (url.includes('/token')) return { body: { token_type: 'Bearer', access_token: 'bot-token', expires_in: 3600 } };
    return { body: { id: '1:answer' } };
  };
});

/** The same request, to their bot and to the adapter. */
async function received(
  activity: JsonObject,
  over: TokenOver = {},
): Promise<{ status: number; answer: unknown; verified: JsonObject; parsed: JsonObject }> {
  const token = await botFrameworkToken(activity, over);
  const { status, answer } = await theirs.receive(activity, `Bearer ${token}`);
  const request = { headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(activity) };
  const verified = await adapter.call('verify-webhook', { credentials, request });
  return { status, answer, verified, parsed: await adapter.call('parse-inbound', { credentials, request }) };
}

const activityOf = (over: JsonObject): JsonObject => ({
  type: 'message',
  id: '1700000000001',
  timestamp: '2026-01-01T00:00:00.000Z',
  localTimestamp: '2026-01-01T01:00:00.000+01:00',
  channelId: 'msteams',
  serviceUrl: `${microsoft.url}/`,
  from: { id: '29:ada', name: 'Ada', aadObjectId: 'aad-1' },
  recipient: { id: `28:${teamsApp}`, name: 'Bot' },
  conversation: { id: 'a:1', conversationType: 'personal', tenantId: teamsTenant },
  channelData: { tenant: { id: teamsTenant } },
  ...over,
});
const inThread = {
  id: '19:abc@thread.tacv2;messageid=1481567603816',
  conversationType: 'channel',
  tenantId: teamsTenant,
  isGroup: true,
};
const mention = (id: string, name: string): JsonObject => ({
  type: 'mention',
  text: `<at>${name}</at>`,
  mentioned: { id, name },
});

describe('beside Bot Framework, a token', () => {
  it.each<[string, TokenOver, JsonObject, boolean]>([
    ['for the bot, its server and its channel', {}, {}, true],
    ['for another bot', { audience: 'another' }, {}, false],
    ['of another issuer', { issuer: 'https://sts.windows.net/' }, {}, false],
    ['for another server', { claims: { serviceurl: 'https://evil.example/' } }, {}, false],
    ['for no server', { claims: {} }, {}, false],
    ['that has ended', { at: Date.now() / 1000 - 7_200 }, {}, false],
    ['that ended four minutes ago', { at: Date.now() / 1000 - 3_600 - 240 }, {}, true],
    ['that is not valid yet', { at: Date.now() / 1000 + 3_600 }, {}, false],
    ['by a key that is not known', { kid: 'k2' }, {}, false],
    ['by a key that is endorsed for other channels', { kid: 'k3' }, {}, false],
  ])('%s is judged alike', async (_what, over, changed, isGood) => {
    const { status, verified } = await received(activityOf({ text: 'Hello', ...changed }), over);
    // Theirs answers 500 to a token that is not valid yet.
    expect([status < 400, verified.ok]).toEqual([isGood, isGood]);
    expect(theirs.handled).toEqual(isGood ? ['message'] : []);
  });

  it('of another channel of the bot, where the sender may be anybody, is refused though they take it', async () => {
    const { status, verified } = await received(activityOf({ text: 'Hello', channelId: 'webchat' }), { kid: 'k3' });
    expect([status, verified]).toEqual([200, expect.objectContaining({ ok: false, error: 'bad_signature' })]);
  });
});

describe('beside Bot Framework, an activity', () => {
  it('of a thread has the same text, sender, conversation and message', async () => {
    const entities = [mention(`28:${teamsApp}`, 'Bot'), mention('29:grace', 'Grace')];
    const text = '<at>Bot</at> ask <at>Grace</at> whether it is green';
    const { parsed } = await received(activityOf({ text, entities, conversation: inThread }));
    expect(theirs.heardText).toBe('ask <at>Grace</at> whether it is green');
    expect(parsed).toMatchObject({
      event_type: 'mention',
      message: theirs.heardText?.replace('<at>Grace</at>', '@Grace'),
      sender: theirs.heardContext.from?.id,
      is_dm: false,
      thread_id: '1481567603816',
      metadata: {
        channel_address: '19:abc@thread.tacv2',
        message_id: theirs.heardContext.id,
        account: theirs.heardContext.conversation?.tenantId,
        aad_object_id: theirs.heardContext.from?.aadObjectId,
        timestamp: theirs.heardContext.timestamp?.toISOString(),
        reply_context: { service_url: theirs.heardContext.serviceUrl },
      },
    });
  });

  it('as their own test adapter makes it is read as their bot reads it', async () => {
    const made: Activity[] = [];
    const { id: _id, ...template } = activityOf({});
    const tester = new TestAdapter(async ({ activity }) => void made.push(activity), template as Partial<Activity>);
    await tester.send('Is it green?');
    await tester.send('And now?');
    const read = await Promise.all(
      made.map((activity) => received(JSON.parse(JSON.stringify(activity)) as JsonObject)),
    );
    expect(read.map(({ verified, parsed }) => [verified.ok, parsed.message, parsed.sender])).toEqual(
      made.map(({ text, from }) => [true, text, from.id]),
    );
    expect(new Set(read.map(({ parsed }) => parsed.dedup_key)).size).toBe(2);
  });

  it.each<[string, string, JsonObject]>([
    [
      'message_edited',
      'message_edited',
      { type: 'messageUpdate', text: 'b', channelData: { eventType: 'editMessage' } },
    ],
    [
      'message_undeleted',
      'message_edited',
      { type: 'messageUpdate', text: 'b', channelData: { eventType: 'undeleteMessage' } },
    ],
    ['message_deleted', 'message_deleted', { type: 'messageDelete', channelData: { eventType: 'softDeleteMessage' } }],
    [
      'reaction_added',
      'reaction_added',
      { type: 'messageReaction', reactionsAdded: [{ type: 'like' }], replyToId: '1' },
    ],
    ['reaction_removed', 'ignored', { type: 'messageReaction', reactionsRemoved: [{ type: 'like' }], replyToId: '1' }],
    ['members_added', 'ignored', { type: 'conversationUpdate', membersAdded: [{ id: `28:${teamsApp}` }] }],
    [
      'read_receipt',
      'ignored',
      { type: 'event', name: 'application/vnd.microsoft.readReceipt', value: { lastReadMessageId: '1' } },
    ],
    [
      'file_consent',
      'ignored',
      {
        type: 'invoke',
        name: 'fileConsent/invoke',
        value: { type: 'fileUpload', action: 'accept', context: { f: 1 } },
      },
    ],
  ])('%s is %s to the adapter', async (theirName, ours, over) => {
    const { parsed, status } = await received(activityOf(over));
    expect(status).toBe(200);
    expect(theirs.handled).toEqual([theirName]);
    expect(parsed.event_type).toBe(ours);
  });
});

describe('beside Bot Framework, what is sent', () => {
  const deliver = (message: object, address = 'a:1'): Promise<JsonObject> =>
    adapter.call('deliver', { credentials, channel_address: address, message });
  const calls = (method: string): { method: string; url: string; fields: JsonObject; token: string | undefined }[] =>
    microsoft.seen
      .filter(({ method: each, url }) => each === method && url.startsWith('/v3/'))
      .map(({ url, fields, headers }) => ({ method, url, fields, token: headers.authorization }));

  it('asks for its token with the same request', async () => {
    // Another secret: the adapter still has the token of the other tests.
    const fresh = { ...credentials, app_password: 'secret ' };
    await adapter.call('deliver', { credentials: fresh, channel_address: 'a:1', message: { text: 'x' } });
    const fresher = cloudAdapterAt(microsoft.url);
    await fresher.continueConversationAsync(teamsApp, reference(), async (context) => {
      await context.sendActivity('x');
    });
    const asked = microsoft.seen.filter(({ url }) => url.includes('/oauth2/'));
    const [ours, msal] = asked.map(({ method, url, fields: { grant_type, client_id, scope } }) => {
      return { method, url: url.split('?')[0], grant_type, client_id, scope };
    });
    expect(asked).toHaveLength(2);
    expect(ours).toEqual(msal);
    expect(asked.map(({ fields }) => fields.client_secret)).toEqual(['secret ', 'secret']);
    expect(calls('POST').map(({ token }) => token)).toEqual(['Bearer bot-token', 'Bearer bot-token']);
  });

  it('goes to the same addresses with the same type, text and format', async () => {
    theirs.act = async (context) => {
      await context.sendActivity({ type: 'message', text: 'It **is**.', textFormat: 'markdown' });
      await context.sendActivity({ type: 'typing' });
      await context.updateActivity({ type: 'message', id: '1:answer', text: 'It *was*.', textFormat: 'markdown' });
    };
    const asked = await received(activityOf({ text: 'Is it green?', conversation: inThread }));
    const { thread_id, metadata } = asked.parsed;
    const { channel_address, reply_context } = metadata as { channel_address: string; reply_context: JsonObject };
    const [sentByThem, typedByThem, changedByThem] = [...calls('POST'), ...calls('PUT')];
    microsoft.seen.length = 0;
    await deliver({ text: 'It **is**.', thread_id, reply_context }, channel_address);
    await adapter.call('indicate', { credentials, channel_address, thread_id, state: 'working' });
    await deliver({ text: 'It *was*.', thread_id, reply_context, edit_of: '1:answer' }, channel_address);
    const [sent, typed, changed] = [...calls('POST'), ...calls('PUT')];

    // They name the message that is answered in the path: Teams shows the answer in the thread either way.
    const withoutAnswered = (url: string | undefined): string | undefined =>
      url?.replace(/\/activities\/1700\d+$/, '/activities');
    expect(decodeURIComponent(sent?.url ?? '')).toBe(decodeURIComponent(withoutAnswered(sentByThem?.url) ?? ''));
    expect(decodeURIComponent(typed?.url ?? '')).toBe(decodeURIComponent(withoutAnswered(typedByThem?.url) ?? ''));
    expect(decodeURIComponent(changed?.url ?? '')).toBe(decodeURIComponent(changedByThem?.url ?? ''));
    expect(sentByThem?.fields).toMatchObject(sent?.fields ?? {});
    expect(typedByThem?.fields).toMatchObject(typed?.fields ?? {});
    const { attachments, ...text } = changed?.fields ?? {};
    expect(changedByThem?.fields).toMatchObject(text);
    expect(attachments).toEqual([]);
  });

  it('offers a card whose press they hand to their bot, and the answer to a press is one that they give', async () => {
    await deliver({ text: 'Deploy?', actions: [{ id: 'yes', label: 'Approve', value: 'sealed' }] });
    const { attachments } = calls('POST')[0]?.fields ?? {};
    const [card] = attachments as [{ content: { actions: { data: JsonObject }[] } }];
    const data = card.content.actions[0]?.data ?? {};
    const submitted = await received(activityOf({ value: data, replyToId: '1:answer' }));
    expect([theirs.handled, theirs.heardContext.value]).toEqual([['message'], data]);
    const press = {
      event_type: 'action',
      message: 'sealed',
      metadata: { action: { id: 'yes', message_id: '1:answer' } },
    };
    expect(submitted.parsed).toMatchObject(press);

    theirs.handled.length = 0;
    const value = { action: { type: 'Action.Execute', id: 'yes', verb: 'press', data }, trigger: 'manual' };
    const invoked = await received(
      activityOf({ type: 'invoke', name: 'adaptiveCard/action', value, replyToId: '1:answer' }),
    );
    expect(theirs.handled).toEqual(['action']);
    expect(invoked.parsed).toMatchObject(press);
    const { statusCode, type } = invoked.answer as JsonObject;
    const manifest = (await (await fetch(`${adapter.url}/manifest.json`)).json()) as { webhook: { ack: JsonObject } };
    expect(manifest.webhook.ack).toMatchObject({ status: invoked.status, body: { statusCode, type } });
  });
});

function reference() {
  const { serviceUrl, conversation, recipient, from, channelId } = activityOf({});
  return { serviceUrl, conversation, bot: recipient, user: from, channelId } as Parameters<
    CloudAdapter['continueConversationAsync']
  >[1];
}
