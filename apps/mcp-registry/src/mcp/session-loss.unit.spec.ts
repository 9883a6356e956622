import { setImmediate as nextTurn } from 'node:timers/promises';
import { sessionFetch } from './session-loss.js';

describe('an event stream that ended', () => {
  const post = { method: 'POST', body: '{}' };

  it('is the end of its connection only when what was sent is answered: a refusal says that nothing was done', async () => {
    const refusal = Promise.withResolvers<Response>();
    let over = false;
    const fetch = sessionFetch(
      async (_url, init) => (init?.method === 'POST' ? refusal.promise : new Response('')),
      'sse',
      (answered) => void answered.then(() => (over = true)),
    );
    await fetch('http://a.example/sse', {});
    const message = fetch('http://a.example/messages', post).catch((error: unknown) => error);
    await expect(fetch('http://a.example/sse', {})).rejects.toMatchObject({ code: 'session_lost', sent: false });
    await nextTurn();
    expect(over).toBe(false);
    refusal.resolve(new Response('Could not find session', { status: 404 }));
    expect(await message).toMatchObject({ code: 'session_lost', sent: false });
    await nextTurn();
    expect(over).toBe(true);
  });
});
