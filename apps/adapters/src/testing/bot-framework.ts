import { createRequire } from 'node:module';
import { type Activity, CloudAdapter, TeamsActivityHandler, TurnContext } from 'botbuilder';
import { BotFrameworkAuthenticationFactory, MsalServiceClientCredentialsFactory } from 'botframework-connector';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JsonObject } from '#libs/adapter-sdk';

export const teamsApp = '00000000-1111-2222-3333-444444444444';
export const teamsTenant = '99999999-8888-7777-6666-555555555555';
const LOGIN = 'https://login.microsoftonline.com';
const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256' };
/** The keys of Bot Framework, each with the channels that it may sign for. */
export const botFrameworkKeys = [
  { ...jwk, kid: 'k1', endorsements: ['msteams'] },
  { ...jwk, kid: 'k3', endorsements: ['webchat'] },
];

export interface TokenOver {
  claims?: object;
  issuer?: string;
  audience?: string;
  at?: number;
  kid?: string;
}

/** As Bot Framework signs a request, but for what is given. */
export function botFrameworkToken(activity: JsonObject, over: TokenOver = {}): Promise<string> {
  const at = Math.floor(over.at ?? Date.now() / 1000);
  return new SignJWT({ ...(over.claims ?? { serviceurl: activity.serviceUrl }) })
    .setProtectedHeader({ alg: 'RS256', kid: over.kid ?? 'k1' })
    .setIssuer(over.issuer ?? 'https://api.botframework.com')
    .setAudience(over.audience ?? teamsApp)
    .setNotBefore(at)
    .setExpirationTime(at + 3600)
    .sign(privateKey);
}

/** A bot made with Bot Framework's own packages. */
export class BotFrameworkBot {
  /** What its handler was called for, by its own names. */
  readonly handled: string[] = [];
  heardText: string | undefined;
  heardContext: Partial<Activity> = {};
  /** What it does when it is asked. */
  act: (context: TurnContext) => Promise<void> = () => Promise.resolve();
  private readonly adapter: CloudAdapter;

  /** @param url of the server that stands in for Microsoft's */
  constructor(url: string) {
    this.adapter = cloudAdapterAt(url);
  }

  reset(): void {
    this.handled.length = 0;
    this.heardText = undefined;
    this.act = () => Promise.resolve();
  }

  /** Hands it a request, as an HTTP server does. */
  async receive(body: JsonObject, authorization: string): Promise<{ status: number; answer: unknown }> {
    const given: { status: number; answer: unknown } = { status: 0, answer: undefined };
    const response = {
      socket: null,
      status: (status: number) => ((given.status = status), response),
      send: (answer: unknown) => ((given.answer = answer), response),
      header: () => response,
      end: () => response,
    };
    // It prints what it refuses.
    const { error: print } = console;
    console.error = () => undefined;
    const handler = new Handler(this);
    const request = { method: 'POST', headers: { authorization }, body: structuredClone(body) };
    await this.adapter.process(request, response, (context) => handler.run(context));
    console.error = print;
    return given;
  }
}

class Handler extends TeamsActivityHandler {
  constructor(private readonly bot: BotFrameworkBot) {
    super();
    const { handled } = bot;
    this.onMessage(async (context, next) => {
      handled.push('message');
      bot.heardText = TurnContext.removeRecipientMention({ ...context.activity }).trim();
      await bot.act(context);
      await next();
    });
    this.onTeamsMessageEditEvent((_context, next) => (handled.push('message_edited'), next()));
    this.onTeamsMessageUndeleteEvent((_context, next) => (handled.push('message_undeleted'), next()));
    this.onTeamsMessageSoftDeleteEvent((_context, next) => (handled.push('message_deleted'), next()));
    this.onReactionsAdded((_context, next) => (handled.push('reaction_added'), next()));
    this.onReactionsRemoved((_context, next) => (handled.push('reaction_removed'), next()));
    this.onTeamsMembersAddedEvent((_added, _team, _context, next) => (handled.push('members_added'), next()));
    this.onTeamsReadReceiptEvent((_receipt, _context, next) => (handled.push('read_receipt'), next()));
  }

  override async run(context: TurnContext): Promise<void> {
    this.bot.heardContext = context.activity;
    await super.run(context);
  }

  protected override onAdaptiveCardInvoke(
    context: TurnContext,
  ): Promise<{ statusCode: number; type: string; value: Record<string, unknown> }> {
    this.bot.handled.push('action');
    this.bot.heardContext = context.activity;
    const type = 'application/vnd.microsoft.activity.message';
    return Promise.resolve({ statusCode: 200, type, value: { text: 'OK' } });
  }

  protected override handleTeamsFileConsentAccept(): Promise<void> {
    this.bot.handled.push('file_consent');
    return Promise.resolve();
  }
}

/** Bot Framework's adapter, with the MSAL that it has: only the address of the token service is another one. */
export function cloudAdapterAt(url: string): CloudAdapter {
  const require = createRequire(createRequire(import.meta.url).resolve('botframework-connector'));
  const msal = require('@azure/msal-node') as MsalOfTheirs;
  const post = async (address: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
    const answer = await fetch(address.replace(LOGIN, url), { method: 'POST', body, headers });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.json() };
  };
  const authority = `${LOGIN}/${teamsTenant}`;
  const application = new msal.ConfidentialClientApplication({
    auth: { clientId: teamsApp, clientSecret: 'secret', authority },
    system: { networkClient: { sendPostRequestAsync: post } },
  });
  const authentication = BotFrameworkAuthenticationFactory.create(
    '',
    true,
    authority,
    'https://api.botframework.com',
    'https://api.botframework.com',
    '',
    `${url}/openid`,
    `${url}/openid`,
    '',
    new MsalServiceClientCredentialsFactory(teamsApp, application),
    { requiredEndorsements: [] },
  );
  return new CloudAdapter(authentication);
}

interface MsalOfTheirs {
  ConfidentialClientApplication: new (
    options: object,
  ) => ConstructorParameters<typeof MsalServiceClientCredentialsFactory>[1];
}
