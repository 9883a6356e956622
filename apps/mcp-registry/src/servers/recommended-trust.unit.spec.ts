import { recommendedTrust } from './recommended-trust.js';

const closed = { open: 0, closed: 3, tools: 3 };
const silent = { open: 0, closed: 0, tools: 3 };
const mixed = { open: 1, closed: 2, tools: 3 };

describe('the trust that is recommended for a server', () => {
  it.each([
    ['http://files.tools.svc:8080/mcp', closed, 'own'],
    ['http://files:8080/mcp', closed, 'own'],
    ['http://10.0.0.7/mcp', closed, 'own'],
    ['http://[::1]:8080/mcp', closed, 'own'],
    ['http://127.0.0.1:8931/mcp', silent, 'partner'],
    ['http://browser.tools.svc.cluster.local/mcp', mixed, 'untrusted'],
    ['https://mcp.example.com/', closed, 'partner'],
    ['https://mcp.example.com/', silent, 'untrusted'],
    ['https://mcp.example.com/', { open: 0, closed: 0, tools: 0 }, 'untrusted'],
    ['https://8.8.8.8/mcp', silent, 'untrusted'],
  ])('is for %s with %o: %s', (url, hints, trust) => {
    expect(recommendedTrust(url, hints)).toEqual({ trust, why: expect.stringMatching(/^.{20,}\.$/) });
  });
});
