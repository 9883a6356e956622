import { consumerConnection } from './connection.js';
import { redisTrouble } from './health/redis-trouble.js';

const withinMs = 5_000;

/** Opens a connection and closes it. @throws Error with the server's reason, or that none answers */
export async function logInToRedis(url: string): Promise<void> {
  const connection = consumerConnection(url, { note: () => true });
  let reason = new Error(`no answer within ${withinMs / 1_000} s`);
  connection.on('error', (error: Error) => (reason = error));
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), withinMs);
  try {
    await new Promise<void>((resolve, reject) => {
      deadline.signal.addEventListener('abort', () => reject(reason));
      // An unknown user, a wrong password: the server says so once, and no later attempt is answered otherwise.
      connection.on('error', (error: Error) => isFinal(error) && reject(error));
      connection.once('ready', () => connection.ping().then(() => resolve(), reject));
    });
  } finally {
    clearTimeout(timer);
    connection.disconnect();
  }
}

const isFinal = (error: Error): boolean => ['wrong_login', 'not_permitted'].includes(redisTrouble(error)?.code ?? '');
