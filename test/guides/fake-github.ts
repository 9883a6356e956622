import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const text = 'Everybody has thirty days of leave.';
const [commit, folder, file] = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
const answers: Record<string, object> = {
  '/user': { id: 7, login: 'reader' },
  '/repos/octo/handbook': { private: false, owner: { login: 'octo', type: 'User' } },
  '/repos/octo/handbook/commits/main': { sha: commit },
  [`/repos/octo/handbook/git/trees/${commit}`]: {
    tree: [{ path: 'guides', type: 'tree', mode: '040000', sha: folder }],
    truncated: false,
  },
  [`/repos/octo/handbook/git/trees/${folder}`]: {
    tree: [{ path: 'leave.md', type: 'blob', mode: '100644', sha: file, size: text.length }],
    truncated: false,
  },
  '/repos/octo/handbook/contents/guides/leave.md': {
    type: 'file',
    size: text.length,
    sha: file,
    encoding: 'base64',
    content: Buffer.from(text).toString('base64'),
  },
};

/** GitHub's API, as far as documents of one repository are read. */
export async function openGithub(): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://github');
    const answer = answers[decodeURIComponent(pathname)];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'Not Found' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
