import { looksLikeHandshake } from './handshakes.js';

const looks = (body: string, headers: Record<string, string> = {}, query = ''): boolean =>
  looksLikeHandshake({
    url: `/api/v1/webhooks/token${query}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
  });

describe('what providers post as a handshake is recognised from the request alone:', () => {
  it.each([
    ['Slack', '{"token":"t","challenge":"c","type":"url_verification"}'],
    ['monday.com', '{"challenge":"c"}'],
    ['Zoom', '{"event":"endpoint.url_validation","payload":{"plainToken":"p"},"event_ts":1}'],
    ['Notion', '{"verification_token":"secret_x"}'],
    ['Discord', '{"application_id":"1","id":"2","token":"t","type":1,"version":1}'],
    ['Twitch', '{"challenge":"c","subscription":{"id":"1","type":"channel.follow"}}'],
    ['Lark', '{"challenge":"c","token":"t","type":"url_verification"}'],
    ['Event Grid', '[{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"v"}}]'],
  ])('%s, by its body', (_provider, body) => expect(looks(body)).toBe(true));

  it.each([
    ['Asana', { 'x-hook-secret': 's' }, ''],
    ['RingCentral', { 'validation-token': 'v' }, ''],
    ['Smartsheet', { 'smartsheet-hook-challenge': 'c' }, ''],
    ['Microsoft Graph', {}, '?validationToken=v'],
  ])('%s, by a header or a parameter', (_provider, headers, query) => expect(looks('', headers, query)).toBe(true));
});

describe('a message is not a handshake:', () => {
  it.each([
    ['whose text speaks of one', '{"text":"the challenge of url_verification","type":"message"}'],
    ['of Slack', '{"token":"t","type":"event_callback","event":{"type":"message","text":"hi"}}'],
    ['of Telegram', '{"update_id":1,"message":{"text":"verification","chat":{"id":1}}}'],
    ['with a numbered type', '{"type":1,"text":"hi"}'],
    ['that is no JSON', 'challenge=1'],
    ['that is empty, as Google sends its notifications', ''],
    ['of Discord that is no PING', '{"application_id":"1","type":2,"data":{"name":"ask"}}'],
  ])('%s', (_what, body) => expect(looks(body, { 'x-goog-resource-state': 'change' }, '?a=1')).toBe(false));
});
