import type { Credentials } from '#libs/adapter-sdk';
import type { AwsKeys } from './signature-v4.js';

/** Where a store is and how to speak to it, from an App's credential record. */
export interface S3Store {
  keys: AwsKeys;
  region: string;
  /** Origin of the service, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: URL;
  /** Buckets as the first path segment rather than as a subdomain. */
  pathStyle: boolean;
}

/** The store of a credential record; otherwise what is wrong with it, without any value. */
export function readStore(credentials: Credentials): S3Store | { problem: string } {
  const text = (name: string): string => {
    const value = credentials[name];
    return typeof value === 'string' ? value.trim() : typeof value === 'boolean' ? String(value) : '';
  };
  const [accessKeyId, secretAccessKey, sessionToken] = [
    text('access_key_id'),
    text('secret_access_key'),
    text('session_token'),
  ];
  if (!/^[\x21-\x7e]{1,256}$/.test(accessKeyId)) return { problem: 'access_key_id is missing or malformed' };
  if (!/^[\x21-\x7e]{1,256}$/.test(secretAccessKey)) return { problem: 'secret_access_key is missing or malformed' };
  if (sessionToken !== '' && !/^[\x21-\x7e]{1,8192}$/.test(sessionToken))
    return { problem: 'session_token is malformed' };
  const region = text('region') || 'us-east-1';
  if (!/^[a-z0-9-]{1,64}$/.test(region)) return { problem: 'region is malformed' };

  const given = text('endpoint');
  const endpoint = URL.parse(given === '' ? `https://s3.${region}.amazonaws.com` : given);
  if (!endpoint || !['http:', 'https:'].includes(endpoint.protocol) || endpoint.username || endpoint.password) {
    return { problem: 'endpoint must be an http or https URL without user and password' };
  }
  if (endpoint.pathname !== '/' || endpoint.search || endpoint.hash) {
    return { problem: 'endpoint must not have a path, a query or a fragment' };
  }
  return {
    keys: { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) },
    region,
    endpoint,
    // Other vendors' stores seldom have a certificate for every bucket's name.
    pathStyle: text('path_style') === '' ? given !== '' : text('path_style') === 'true',
  };
}
