import { until } from '#libs/testing';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type System, startSmallSystem } from '../system/system.js';
import { type Clone, cloneOf, commandsOf, follow } from './guide.js';

const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5';

/** Slack's Web API, as far as a bot calls it. */
async function openSlack(): Promise<{ server: Server; url: string; posted: string[] }> {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const isPost = request.url?.endsWith('chat.postMessage') === true;
      if (isPost) posted.push(body);
      const answer = isPost
        ? { ok: true, ts: '1700000001.000100', channel: 'C1', message: {} }
        : { ok: true, user_id: 'U0BOT', user: 'gatehouse', bot_id: 'B1', team_id: 'T1' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('the guide to connect Slack, followed as it stands', () => {
  let slack: Awaited<ReturnType<typeof openSlack>>;
  let system: System;
  let clone: Clone;
  beforeAll(async () => {
    slack = await openSlack();
    system = await startSmallSystem({ GATEHOUSE_SLACK_API_URL: slack.url });
    clone = cloneOf(system);
  });
  afterAll(async () => {
    clone?.remove();
    await system?.stop();
    slack?.server.close();
  });

  /** What Slack sends, in the place of the person who writes there. */
  const sends = (event: object): string => {
    const body = JSON.stringify(event);
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
    return `curl -sS --fail-with-body "$URL" -H 'content-type: application/json' -H 'x-slack-request-timestamp: ${time}' \\
      -H 'x-slack-signature: v0=${signature}' -d '${body}'`;
  };

  it('leads to an answer in the thread of a message', async () => {
    const [functions = ''] = commandsOf('receive-a-webhook.md');
    const [noted = '', install = '', verify = '', admit = '', open = ''] = commandsOf('connect-slack.md');
    const mention = { type: 'app_mention', user: 'U1', text: '<@U0BOT> is it done?', ts: '1700000000.000100' };
    const message = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event: { ...mention, channel: 'C1' } };
    const printed = await follow(clone, [
      functions,
      noted.replace('SLACK_TOKEN=xoxb-...', 'SLACK_TOKEN=xoxb-a-token').replace('=...', `=${signingSecret}`),
      // What a person copies from the terminal.
      install.replace(/^echo .*webhook_url'$/m, (line) => `URL=$(${line}); echo "$URL"`),
      verify,
      sends({ type: 'url_verification', challenge: 'a-word-of-slack' }),
      sends(message),
      admit,
      open,
    ]);
    const [, , url, verified, challenged] = printed;
    expect(url).toMatch(/^http\S+\/api\/v1\/webhooks\/\S+$/);
    expect(verified).toMatch(/"id":"credentials_accepted"[^}]*"status":"ok"/);
    expect(challenged).toBe('a-word-of-slack');
    await until('Slack has the reply', () => slack.posted.length > 0);
    const [reply] = slack.posted.map((body) => JSON.parse(body) as { channel: string; thread_ts: string });
    expect(reply).toMatchObject({ channel: 'C1', thread_ts: '1700000000.000100' });
  });
});
