import { EgressError } from './egress-error.js';
import { firstHop, redirectHop } from './hop.js';

const secret = { Authorization: 'Bearer s', 'X-Api-Key': 's', Cookie: 's', Accept: 'text/html' };
const code = (run: () => unknown) => {
  try {
    run();
    return 'passed';
  } catch (error) {
    return error instanceof EgressError ? error.code : error;
  }
};

describe('a first hop', () => {
  it.each([
    ['ftp://example.com/', 'blocked_scheme'],
    ['file:///etc/passwd', 'blocked_scheme'],
    ['gopher://example.com/', 'blocked_scheme'],
    ['data:text/plain,hi', 'blocked_scheme'],
    ['http://user:password@example.com/', 'invalid_url'],
    ['http://token@example.com/', 'invalid_url'],
    ['/relative', 'invalid_url'],
    ['http://', 'invalid_url'],
    ['http://256.256.256.256/', 'invalid_url'],
  ])('refuses %s', (url, expected) => expect(code(() => firstHop(url, 'GET', {}, undefined))).toBe(expected));

  it('refuses methods that tools may not use', () => {
    expect(code(() => firstHop('http://a/', 'CONNECT', {}, undefined))).toBe('invalid_request');
    expect(firstHop('http://a/', 'post', {}, undefined).method).toBe('POST');
  });

  it('drops the headers that belong to the connection', () => {
    const headers = { Host: 'internal', 'Transfer-Encoding': 'chunked', Upgrade: 'h2c', 'Content-Type': 'text/plain' };
    expect(firstHop('http://a/', 'POST', headers, 'x').headers).toEqual({ 'content-type': 'text/plain' });
  });
});

describe('a redirect', () => {
  const from = (url: string, method = 'GET', body?: string) => firstHop(url, method, secret, body);

  it('keeps the headers within the origin', () => {
    expect(redirectHop(from('https://a/x'), 302, '/y')?.headers).toMatchObject({ authorization: 'Bearer s' });
  });

  it.each(['https://b/', 'https://a:8443/', 'https://sub.a/'])('takes no credential along to %s', (location) => {
    expect(redirectHop(from('https://a/x'), 302, location)?.headers).toEqual({ accept: 'text/html' });
  });

  it('never leaves https', () => {
    expect(code(() => redirectHop(from('https://a/'), 302, 'http://a/'))).toBe('blocked_redirect');
  });

  it.each(['ftp://a/', 'file:///etc/passwd', 'https://user:pw@b/', 'https://'])('refuses %s', (location) => {
    expect(code(() => redirectHop(from('https://a/'), 302, location))).toBe('blocked_redirect');
  });

  it('turns a POST into a GET without its body, except where the status keeps it', () => {
    const hop = from('https://a/', 'POST', 'body');
    expect(redirectHop(hop, 303, '/y')).toMatchObject({ method: 'GET', body: undefined });
    expect(redirectHop(hop, 302, 'https://b/')).toMatchObject({ method: 'GET', body: undefined });
    expect(redirectHop(hop, 307, '/y')).toMatchObject({ method: 'POST', body: 'body' });
    expect(redirectHop(from('https://a/', 'PUT', 'body'), 302, '/y')).toMatchObject({ method: 'PUT', body: 'body' });
  });

  it('passes no body to another origin', () => {
    expect(code(() => redirectHop(from('https://a/', 'POST', 'b'), 307, 'https://b/'))).toBe('blocked_redirect');
  });

  it('is not one without a Location or with another status', () => {
    expect(redirectHop(from('https://a/'), 302, undefined)).toBeUndefined();
    expect(redirectHop(from('https://a/'), 304, '/y')).toBeUndefined();
  });
});
