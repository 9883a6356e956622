import type { PythonAsked, PythonHttpRequest, PythonRunRequest } from '#libs/contracts';
import { isObject } from '../pool/untrusted.js';
import type { EngineCallback } from './engine-callback.js';

type Answer = { value: unknown } | { refused: string };

const maxUrl = 8_192;
const maxHeaders = 50;

/** What one call of a tool may ask for: its own credentials and, through the engine, its event and HTTP requests. */
export class HostCalls {
  private made = 0;
  private readonly read = new Set<string>();
  private readonly asked = new Map<string, PythonAsked>();
  private readonly over = new AbortController();

  constructor(
    private readonly run: Pick<PythonRunRequest, 'credentials' | 'callback_url' | 'callback_token'>,
    private readonly engine: EngineCallback,
    private readonly limit: number,
  ) {}

  /** @param question as the child sent it, unchecked */
  async answer(question: unknown): Promise<Answer> {
    this.made += 1;
    if (this.made > this.limit) return { refused: `A call may use the platform at most ${this.limit} times.` };
    const { call, name, request } = isObject(question) ? question : {};
    if (call === 'credential') return this.credential(name);
    if (call === 'http_request') return this.httpRequest(request);
    if (call === 'event') return this.event();
    return { refused: 'The platform does not know this request.' };
  }

  /** The addresses that the code asked for, each with the same credentials read once. */
  get requests(): PythonAsked[] {
    return [...this.asked.values()];
  }

  /** Cancels the call's questions in flight. */
  close(): void {
    this.over.abort();
  }

  private note(origin: string): void {
    const credentials = [...this.read];
    this.asked.set([origin, ...credentials].join(' '), { origin, credentials });
  }

  private credential(name: unknown): Answer {
    const own = this.run.credentials ?? {};
    if (typeof name !== 'string' || !Object.hasOwn(own, name)) {
      return { refused: `No credential ${JSON.stringify(name).slice(0, 100)} is bound to this tool.` };
    }
    this.read.add(name);
    return { value: own[name] };
  }

  private async event(): Promise<Answer> {
    const { callback_url: url, callback_token: token } = this.run;
    if (url === undefined || token === undefined) return { refused: 'No event started this call.' };
    return this.engine.event(`${url}/event`, token, this.over.signal);
  }

  private async httpRequest(request: unknown): Promise<Answer> {
    const { callback_url: url, callback_token: token } = this.run;
    if (url === undefined || token === undefined) return { refused: 'This call may make no HTTP requests.' };
    const checked = httpRequestOf(request);
    if (typeof checked === 'string') return { refused: checked };
    if (URL.canParse(checked.url)) this.note(new URL(checked.url).origin);
    return this.engine.httpRequest(url, token, checked, this.over.signal);
  }
}

/** The request, or a sentence about what is wrong with it. The engine validates the values again. */
function httpRequestOf(given: unknown): PythonHttpRequest | string {
  const { method, url, headers, body } = isObject(given) ? given : {};
  if (typeof method !== 'string' || method.length > 16) return 'method must be GET, POST, PUT or DELETE.';
  if (typeof url !== 'string' || url.length > maxUrl) return `url must be text of at most ${maxUrl} characters.`;
  if (headers === undefined) return { method, url, body };
  if (!isObject(headers) || Object.keys(headers).length > maxHeaders)
    return `There may be at most ${maxHeaders} headers.`;
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') return `The header ${name.slice(0, 64)} is not text.`;
    texts[name] = value;
  }
  return { method, url, headers: texts, body };
}
