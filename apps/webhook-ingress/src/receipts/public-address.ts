import { Inject, Injectable } from '@nestjs/common';
import type { IngressSettings } from '../env.js';
import { SETTINGS } from '../settings.js';

/** The address at which providers reach the installation, which their signatures may cover. */
@Injectable()
export class PublicAddress {
  /** PUBLIC_URL without a trailing slash. */
  readonly url: string;
  /** Its host name, with the port unless that is the scheme's default. */
  readonly host: string;
  /** Its path, which a proxy strips; empty when there is none. */
  readonly prefix: string;

  constructor(@Inject(SETTINGS) { PUBLIC_URL: url }: Pick<IngressSettings, 'PUBLIC_URL'>) {
    const { host, pathname } = new URL(url);
    this.url = url;
    this.host = host;
    this.prefix = pathname === '/' ? '' : pathname;
  }
}
