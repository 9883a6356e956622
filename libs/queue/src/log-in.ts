import { consumerConnection } from './connection.js';

const withinMs = 5_000;

/** Opens a connection and closes it. @throws Error with the server's reason, or that none answers */
export async function logInToRedis(url: string): Promise<void> {
  const connection = consumerConnection(url);
  let reason = new Error(`no answer within ${withinMs / 1_000} s`);
  connection.on('error', (error: Error) => (reason = error));
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), withinMs);
  try {
    await new Promise<void>((resolve, reject) => {
      deadline.signal.addEventListener('abort', () => reject(reason));
      // An unknown user, a wrong password: the server says so once, and no later attempt is answered otherwise.
      connection.on('error', (error: Error) => /WRONGPASS|NOAUTH|NOPERM/.test(error.message) && reject(error));
      connection.once('ready', () => connection.ping().then(() => resolve(), reject));
    });
  } finally {
    clearTimeout(timer);
    connection.disconnect();
  }
}
