import { secretList, type Self, type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { accessToken } from './api/access-token.js';
import { appJwt, readApp } from './api/app-jwt.js';
import { callWithToken, type GithubSettings } from './api/github-api.js';

/** Asks GitHub whose token it is. By that id the adapter later recognises its own comments. */
export async function verifyCredentials({ credentials }: VerifyCall, settings: GithubSettings): Promise<VerifyResult> {
  const token = await accessToken(credentials, settings);
  if ('ok' in token) return refusedCredentials(token);
  const app = readApp(credentials);
  const isApp = app?.installationId !== undefined && textOf(credentials.token) === undefined;
  const jwt = isApp ? appJwt(app, new Date()) : undefined;
  const known = jwt === undefined ? await ownerOf(token.token, settings) : await botOf(jwt, token.token, settings);
  if ('ok' in known) return known;
  const { account } = known;
  const warnings = secretList(credentials.signing_secret).length === 0;
  return {
    ok: true,
    user: account.username ?? '',
    account,
    ...(warnings && { warnings: ['signing_secret is not set: every incoming webhook is refused'] }),
  };
}

type Answer = { account: Self } | ReturnType<typeof refusedCredentials>;

/** The owner of a personal token. An installation's token may not ask `/user`; GraphQL tells its owner. */
async function ownerOf(token: string, settings: GithubSettings): Promise<Answer> {
  const user = await callWithToken('/user', {}, token, settings);
  if (user.ok) return { account: accountOf(objectOf(user.body)) };
  if (user.error !== 'permission_denied') return refusedCredentials(user);
  const json = { query: '{ viewer { databaseId login } }' };
  const viewer = await callWithToken('/graphql', { method: 'POST', json }, token, settings);
  if (!viewer.ok) return refusedCredentials(user);
  const { databaseId, login } = objectOf(objectOf(objectOf(viewer.body).data).viewer);
  return { account: accountOf({ id: databaseId, login }) };
}

/** The bot user of a GitHub App: comments carry its id, not the app's. */
async function botOf(jwt: string, token: string, settings: GithubSettings): Promise<Answer> {
  const app = await callWithToken('/app', {}, jwt, settings);
  if (!app.ok) return refusedCredentials(app);
  const { id, slug, name } = objectOf(app.body);
  const login = `${textOf(slug) ?? ''}[bot]`;
  const bot = await callWithToken(`/users/${encodeURIComponent(login)}`, {}, token, settings);
  const appId = textOf(id);
  const account = {
    ...(bot.ok ? accountOf(objectOf(bot.body)) : { username: login }),
    ...(appId !== undefined && { app_id: appId }),
    ...(textOf(name) !== undefined && { name: textOf(name) }),
  };
  return { account };
}

function accountOf(user: Record<string, unknown>): Self {
  const [id, login, name, email] = [textOf(user.id), textOf(user.login), textOf(user.name), textOf(user.email)];
  return {
    ...(id !== undefined && { id }),
    ...(login !== undefined && { username: login, account: login }),
    name: name ?? login ?? '',
    ...(email !== undefined && { email }),
  };
}
