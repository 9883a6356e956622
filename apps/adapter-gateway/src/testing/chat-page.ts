import { request, type IncomingMessage } from 'node:http';

/** A message as pages are sent it. */
export interface PageMessage {
  seq: number;
  author: 'visitor' | 'agent';
  id: string;
  text: string;
  format: string;
  choices: { id: string; label: string; style: string }[];
}

/** An open page of a web chat, as its script reads the stream. */
export interface ChatPage {
  status: number;
  headers: IncomingMessage['headers'];
  messages: PageMessage[];
  events: { event: string; data: unknown }[];
  /** Whether the service has ended the stream. */
  ended: boolean;
  /** The answer, where it is no stream. */
  body: string;
  /** The body of the answer is read no further, or again. */
  pause(): void;
  resume(): void;
  leave(): void;
}

/** @param headers with `origin` of the page */
export function openPage(url: string, body: object, headers: Record<string, string>): Promise<ChatPage> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1/web-chat/streams`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
    });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      sent.off('error', reject).on('error', () => undefined);
      const page: ChatPage = {
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        messages: [],
        events: [],
        ended: false,
        body: '',
        pause: () => void answer.pause(),
        resume: () => void answer.resume(),
        leave: () => void sent.destroy(),
      };
      let rest = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        page.body += piece;
        rest += piece;
        const frames = rest.split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const event = /^event: (.*)$/m.exec(frame)?.[1];
          if (event === undefined) continue;
          const data: unknown = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null');
          page.events.push({ event, data });
          if (event === 'message') page.messages.push(data as PageMessage);
        }
      });
      answer.on('error', () => undefined).once('close', () => (page.ended = true));
      if (page.status === 200) resolve(page);
      else answer.once('end', () => resolve(page));
    });
    sent.end(JSON.stringify(body));
  });
}
