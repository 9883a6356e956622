import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { OAuth2Client } from 'google-auth-library';
import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  constants,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awsKms } from '../sealing/remote-keys/aws-kms.js';
import { azureKeyVault } from '../sealing/remote-keys/azure-key-vault.js';
import { googleKms } from '../sealing/remote-keys/google-kms.js';
import type { RemoteCalls } from '../sealing/remote-keys/remote-key.js';
import { transit, type TransitKey } from '../sealing/remote-keys/transit.js';

/** A fake key management service. It speaks the protocol as documented and really encrypts. */
export interface KeyService {
  /** Connects as the vault does. */
  connect(): Promise<RemoteCalls>;
  url: string;
  /** While true, it only answers 503. */
  away: boolean;
  /** How many calls got that answer. */
  refused: number;
  /** The calls that were made, as `encrypt` and `decrypt`. */
  calls: string[];
  close(): Promise<void>;
}

/** The requests of all services, each in its own terms. */
interface KeyRequest {
  // AWS
  KeyId: string;
  EncryptionContext: object;
  Plaintext: string;
  CiphertextBlob: string;
  // Google, and Transit
  plaintext: string;
  ciphertext: string;
  additionalAuthenticatedData: string;
  associated_data: string;
  role: string;
  jwt: string;
  // Azure
  value: string;
}

interface KeyCall {
  path: string;
  body: KeyRequest;
  request: IncomingMessage;
  reply: (status: number, body: object, headers?: Record<string, string>) => void;
}

const keyBytes = randomBytes(32);
function encrypt(plain: string, aad: string, encoding: BufferEncoding = 'base64'): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyBytes, iv).setAAD(Buffer.from(aad));
  return Buffer.concat([iv, cipher.update(plain, encoding), cipher.final(), cipher.getAuthTag()]);
}
/** @returns null when it does not open */
function decrypt(sealed: Buffer, aad: string): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyBytes, sealed.subarray(0, 12)).setAAD(Buffer.from(aad));
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  } catch {
    return null;
  }
}

async function serve(
  answer: (received: KeyCall, service: KeyService) => void,
  connect: (url: string) => Promise<RemoteCalls>,
  tls = false,
): Promise<KeyService> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const reply: KeyCall['reply'] = (status, answered, headers = {}) =>
        void response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(answered));
      if (service.away) service.refused += 1;
      if (service.away) return reply(503, { message: 'away', errors: ['away'], error: { status: 'UNAVAILABLE' } });
      const body = text.startsWith('{') ? JSON.parse(text) : text;
      answer({ path: request.url ?? '', body, request, reply }, service);
    });
  };
  const server: Server = tls
    ? createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, handle)
    : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: KeyService = {
    url,
    away: false,
    refused: 0,
    calls: [],
    connect: () => connect(url),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

/** AWS JSON 1.1 of `TrentService`. */
export const awsService = (): Promise<KeyService> =>
  serve(
    ({ body, request, reply }, { calls }) => {
      if (!/^AWS4-HMAC-SHA256 Credential=test\/\d+\/eu-central-1\/kms\//.test(String(request.headers.authorization)))
        return reply(403, { __type: 'UnrecognizedClientException' });
      const method = String(request.headers['x-amz-target']).replace('TrentService.', '').toLowerCase();
      calls.push(method);
      const aad = JSON.stringify(body.EncryptionContext);
      if (method === 'encrypt')
        return reply(200, { CiphertextBlob: encrypt(body.Plaintext, aad).toString('base64'), KeyId: body.KeyId });
      const plain = decrypt(Buffer.from(body.CiphertextBlob, 'base64'), aad);
      if (!plain) return reply(400, { __type: 'InvalidCiphertextException' });
      reply(200, { Plaintext: plain.toString('base64'), KeyId: body.KeyId });
    },
    (endpoint) =>
      awsKms(
        { key_id: 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd' },
        { endpoint, credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, maxAttempts: 1 },
      ),
  );

/** REST of Cloud KMS. */
export const googleService = (): Promise<KeyService> =>
  serve(
    ({ path, body, request, reply }, { calls }) => {
      if (request.headers.authorization !== 'Bearer at') return reply(401, { error: { status: 'UNAUTHENTICATED' } });
      const [name, method = ''] = path.split(':');
      if (name !== '/v1/projects/p/locations/l/keyRings/r/cryptoKeys/k')
        return reply(404, { error: { status: 'NOT_FOUND' } });
      calls.push(method);
      const aad = body.additionalAuthenticatedData;
      if (method === 'encrypt') return reply(200, { ciphertext: encrypt(body.plaintext, aad).toString('base64') });
      const plain = decrypt(Buffer.from(body.ciphertext, 'base64'), aad);
      if (!plain) return reply(400, { error: { code: 400, status: 'INVALID_ARGUMENT' } });
      reply(200, { plaintext: plain.toString('base64') });
    },
    (endpoint) => {
      const client = new OAuth2Client();
      client.setCredentials({ access_token: 'at' });
      return googleKms({ name: 'projects/p/locations/l/keyRings/r/cryptoKeys/k', endpoint }, client);
    },
  );

/**
 * REST of Azure Key Vault 7.x: the challenge, `GET` of a key (refused, as for an identity that may only wrap), wrap and
 * unwrap.
 */
export const azureService = (): Promise<KeyService> => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return serve(
    ({ path, body, request, reply }, { calls }) => {
      if (request.headers.authorization !== 'Bearer entra') {
        const challenge = 'Bearer authorization="https://login.example.com/t", resource="https://vault.azure.net"';
        return reply(401, { error: { code: 'Unauthorized' } }, { 'www-authenticate': challenge });
      }
      const [, , , version, method] = path.split('?')[0]!.split('/');
      if (request.method === 'GET') return reply(403, { error: { code: 'Forbidden' } });
      const kid = `https://test.vault.azure.net/keys/k/${version || 'v2'}`;
      const bytes = Buffer.from(body.value, 'base64url');
      if (method === 'wrapkey') {
        calls.push('encrypt');
        return reply(200, { kid, value: publicEncrypt({ key: publicKey, ...padding }, bytes).toString('base64url') });
      }
      calls.push('decrypt');
      try {
        reply(200, { kid, value: privateDecrypt({ key: privateKey, ...padding }, bytes).toString('base64url') });
      } catch {
        reply(400, { error: { code: 'BadParameter', message: 'The parameter is incorrect.' } });
      }
    },
    (url) =>
      azureKeyVault(
        { key_id: `${url}/keys/k` },
        {
          credential: { getToken: async () => ({ token: 'entra', expiresOnTimestamp: Date.now() + 3_600_000 }) },
          options: {
            tlsOptions: { ca: TEST_CERTIFICATE },
            disableChallengeResourceVerification: true,
            retryOptions: { maxRetries: 0 },
          },
        },
      ),
    true,
  );
};

/** The transit engine of OpenBao, with a login by a ServiceAccount's token. `endTokens` expires all tokens. */
export async function transitService(): Promise<KeyService & { endTokens(): void; key: TransitKey }> {
  let tokens = 0;
  const dir = mkdtempSync(join(tmpdir(), 'transit-'));
  const file = join(dir, 'token');
  writeFileSync(file, 'a-service-account-token\n');
  const service = await serve(
    ({ path, body, request, reply }, { calls }) => {
      if (path === '/v1/auth/kubernetes/login') {
        calls.push('login');
        if (body.role !== 'gatehouse' || body.jwt !== 'a-service-account-token')
          return reply(403, { errors: ['permission denied'] });
        return reply(200, { auth: { client_token: `s.${(tokens += 1)}`, lease_duration: 3_600 } });
      }
      if (request.headers['x-vault-token'] !== `s.${tokens}`) return reply(403, { errors: ['permission denied'] });
      const [, method = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/gatehouse$/.exec(path) ?? [];
      if (!method) return reply(404, { errors: [] });
      calls.push(method);
      const { associated_data: aad } = body;
      if (method === 'encrypt') {
        const ciphertext = `vault:v1:${encrypt(body.plaintext, aad).toString('base64')}`;
        return reply(200, { data: { ciphertext, key_version: 1 } });
      }
      const plain = decrypt(Buffer.from(String(body.ciphertext).split(':')[2] ?? '', 'base64'), aad);
      if (!plain) return reply(400, { errors: ['cipher: message authentication failed'] });
      reply(200, { data: { plaintext: plain.toString('base64') } });
    },
    async () => transit(key, 5_000),
  );
  const auth = { kubernetes: { role: 'gatehouse', token_file: file } };
  const key: TransitKey = { address: service.url, key: 'gatehouse', auth };
  return Object.assign(service, { key, endTokens: () => void (tokens += 1) });
}
