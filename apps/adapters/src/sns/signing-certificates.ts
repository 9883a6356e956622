import { X509Certificate, type KeyObject } from 'node:crypto';
import { ProviderUnavailable, type ProviderHttp } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';

const MAX_CERTIFICATE_BYTES = 64 * 1024;
/** SNS has one a region, and changes it about once a year. */
const MAX_KEPT = 100;
const KEPT_MS = 24 * 60 * 60 * 1_000;

interface Kept {
  until: number;
  certificate: Promise<X509Certificate | undefined>;
}

/** The certificates that SNS signs with, fetched through the egress guard and kept in memory. */
export class SigningCertificates {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly http: ProviderHttp) {}

  /**
   * @param address of the topic's own host
   * @returns the public key; undefined where there is none, or none that is valid at the time
   * @throws ProviderUnavailable
   */
  async at(address: URL, now: Date): Promise<KeyObject | undefined> {
    const certificate = await this.certificate(address.href);
    const isValid = certificate && certificate.validFromDate <= now && now <= certificate.validToDate;
    return isValid ? certificate.publicKey : undefined;
  }

  private certificate(href: string): Kept['certificate'] {
    const kept = this.kept.get(href);
    if (kept && kept.until > Date.now()) return kept.certificate;
    const certificate = this.fetched(href);
    this.kept.delete(href);
    if (this.kept.size >= MAX_KEPT) for (const oldest of [...this.kept.keys()].slice(0, 1)) this.kept.delete(oldest);
    this.kept.set(href, { until: Date.now() + KEPT_MS, certificate });
    // Only what was fetched is kept: a sender may name any path of the host.
    const forget = (): void => void this.kept.delete(href);
    certificate.then((found) => found ?? forget(), forget);
    return certificate;
  }

  private async fetched(href: string): Promise<X509Certificate | undefined> {
    const { fetch, timeoutMs } = this.http;
    const request = {
      timeoutMs,
      maxResponseBytes: MAX_CERTIFICATE_BYTES,
      onTooLarge: 'fail',
      maxRedirects: 0,
    } as const;
    try {
      const { status, body } = await fetch(href, request);
      if (status >= 500 || status === 429)
        throw new ProviderUnavailable('the certificate of SNS cannot be fetched now');
      return status === 200 ? certificateOf(Buffer.from(body)) : undefined;
    } catch (error) {
      if (error instanceof EgressError) throw new ProviderUnavailable('the certificate of SNS cannot be fetched now');
      throw error;
    }
  }
}

function certificateOf(pem: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
