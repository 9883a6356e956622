import { Inject, Injectable } from '@nestjs/common';
import type { IngressSettings } from '../env.js';
import { SETTINGS } from '../settings.js';

/** Where providers reach the installation: what they made their signatures over. */
@Injectable()
export class PublicAddress {
  /** PUBLIC_URL, without a slash at its end. */
  readonly url: string;
  /** Of that URL: name, and port where it is not the scheme's own. */
  readonly host: string;
  /** Of that URL: empty, or what a proxy takes off the path. */
  readonly prefix: string;

  constructor(@Inject(SETTINGS) { PUBLIC_URL: url }: Pick<IngressSettings, 'PUBLIC_URL'>) {
    const { host, pathname } = new URL(url);
    this.url = url;
    this.host = host;
    this.prefix = pathname === '/' ? '' : pathname;
  }
}
