import { returnPath } from './return-path.js';

describe('the path to return to after single sign-on', () => {
  it.each([
    '/',
    '/p/prj_1/events',
    '/p/prj_1/events?search=a%2F%2Fb&outcome=dead#top',
    '/p/prj_1/skills/caf%C3%A9',
    '/p/prj_1/apis',
    '/p/prj_1/skills/100%25',
  ])('is a page of the console: %s', (path) => {
    expect(returnPath(path)).toBe(path);
  });

  it.each([
    undefined,
    '',
    'p/prj_1',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/p/..//evil.example',
    '/%2e%2f/evil.example',
    '/%2Fevil.example',
    '/%252Fevil.example',
    '/%5Cevil.example',
    '/%255Cevil.example',
    '/p/%0d%0aset-cookie:a=b',
    '//[',
    '/\\[',
    '//a:b:c/p',
    '//user@evil.example/p',
    `/p/${'x'.repeat(3_000)}`,
    '/p/%',
    'https://evil.example/p',
    'javascript:alert(1)',
    '/api/v1/api-keys',
    '/API/v1/api-keys',
    '/%61pi/v1/api-keys',
    '/p/../api/v1/api-keys',
    '/p/%2e%2e/api/v1/api-keys',
    '/internal/audit',
    '/sign-in?error=x',
    '/assets/index.js',
    '/openapi.json',
  ])('is the front page instead of %j', (path) => {
    expect(returnPath(path)).toBe('/');
  });
});
