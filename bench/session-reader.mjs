import { get } from 'node:http';

/**
 * Follows what the agent writes in a session, through the portal.
 * @param {Pick<Awaited<ReturnType<typeof import('./gatehouse.mjs').startGatehouse>>, 'urlOf' | 'apiKey'>} gatehouse
 * @param {string} sessionId
 * @returns {Promise<{firstMs: number, text: string, leave: () => void}>} firstMs: when its first words came; 0: none yet
 */
export function readSession({ urlOf, apiKey }, sessionId) {
  return new Promise((resolve, reject) => {
    const url = `${urlOf('portal')}/api/v1/sessions/${sessionId}/stream`;
    get(url, { headers: { authorization: `Bearer ${apiKey}` }, agent: false }, (response) => {
      const reader = { firstMs: 0, text: '', leave: () => void response.destroy() };
      let rest = '';
      response.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          if (!frame.startsWith('event: turn')) continue;
          const { at, text } = JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
          reader.firstMs ||= performance.now();
          reader.text = reader.text.slice(0, at) + text;
        }
      });
      resolve(reader);
    }).once('error', reject);
  });
}
