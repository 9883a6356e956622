/** A minimal browser: it keeps cookies by host and follows redirects until asked to stop. */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>();

  set(url: string, setCookie: string): void {
    const [pair = ''] = setCookie.split(';');
    const at = pair.indexOf('=');
    const host = new URL(url).host;
    const cookies = this.jar.get(host) ?? new Map<string, string>();
    this.jar.set(host, cookies.set(pair.slice(0, at), pair.slice(at + 1)));
  }

  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const cookies = [...(this.jar.get(new URL(url).host) ?? [])].map(([name, value]) => `${name}=${value}`);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { ...headers, ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}) },
    });
    for (const cookie of answer.headers.getSetCookie()) this.set(url, cookie);
    return answer;
  }

  /** Follows redirects up to the one that leads to `stopAt`, which is returned but not opened. */
  async follow(url: string, stopAt: string): Promise<URL> {
    let next = url;
    for (let hops = 0; hops < 20; hops += 1) {
      if (next.startsWith(stopAt)) return new URL(next);
      const answer = await this.get(next);
      const location = answer.headers.get('location');
      if (!location) throw new Error(`${next.split('?')[0]} answered ${answer.status}: ${await answer.text()}`);
      next = new URL(location, next).href;
    }
    throw new Error('too many redirects');
  }
}
