import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Fault, FakeProvider } from '#libs/adapter-sdk';

/** Users by their password; all others are refused. */
export const USERS: Record<string, string> = {
  'conformance-password-one': 'agent@example.com',
  'conformance-password-two': 'other@example.com',
};

const REPLIES: Record<Exclude<Fault, 'timeout' | 'unauthorized'>, [number, string]> = {
  forbidden: [550, '5.7.1 not permitted'],
  not_found: [550, '5.1.1 no such user'],
  rate_limited: [452, '4.5.3 too many messages'],
  unavailable: [421, '4.3.0 try again later'],
};

/** A mail server for the conformance kit, which speaks SMTP where the kit's own provider speaks HTTP. */
export async function openFakeSmtp(): Promise<FakeProvider & { port: number }> {
  let texts: string[] = [];
  let fault: { name: Fault; on: 'send' | 'verify'; left: number } | undefined;
  const due = (on: 'send' | 'verify'): Fault | undefined =>
    fault?.on === on && fault.left-- <= 0 ? fault.name : undefined;
  const reply = ([responseCode, text]: [number, string]): Error => Object.assign(new Error(text), { responseCode });

  const server = new SMTPServer({
    key: TEST_KEY,
    cert: TEST_CERTIFICATE,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) => {
      if (due('verify')) return done(reply([454, '4.7.0 temporary authentication failure']));
      // As with a real server, a login is refused before the first part only.
      if (fault?.name === 'unauthorized') return done(reply([535, '5.7.8 credentials invalid']));
      return USERS[password ?? ''] === username
        ? done(null, { user: username })
        : done(reply([535, '5.7.8 no such user']));
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const name = due('send');
        if (name === 'timeout') return;
        if (name && name !== 'unauthorized') return done(reply(REPLIES[name]));
        void PostalMime.parse(Buffer.concat(chunks)).then(({ text = '' }) => {
          texts.push(text.trimEnd());
          done();
        });
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    url: '127.0.0.1',
    port,
    texts: () => texts,
    reset: () => {
      texts = [];
      fault = undefined;
    },
    fail: (name, on, after = 0) => {
      fault = { name, on, left: after };
    },
    enter: () => undefined,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
