import type { KMSClientConfig } from '@aws-sdk/client-kms';
import type { RemoteCalls } from './remote-key.js';

export interface AwsKmsKey {
  /** A symmetric key: its ARN, id or alias. */
  key_id: string;
  /** Default: that of the ARN or the environment. */
  region?: string;
}

const refusals = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/**
 * AWS KMS, with the default credential chain (environment, web identity of a ServiceAccount, instance). Its log shows a
 * data key's place as the encryption context `gatehouse`, in base64.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export async function awsKms({ key_id: KeyId, region }: AwsKmsKey, config: KMSClientConfig = {}): Promise<RemoteCalls> {
  const { DecryptCommand, EncryptCommand, KMSClient } = await import('@aws-sdk/client-kms');
  const of = KeyId.startsWith('arn:') ? KeyId.split(':')[3] : undefined;
  const client = new KMSClient({ ...config, ...(region || of ? { region: region ?? of } : {}) });
  const contextOf = (aad: Buffer) => ({ gatehouse: aad.toString('base64') });
  return {
    async wrap(plain, aad) {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({ KeyId, Plaintext: plain, EncryptionContext: contextOf(aad) }),
      );
      if (!CiphertextBlob) throw new Error('the answer has no CiphertextBlob');
      return Buffer.from(CiphertextBlob);
    },
    async unwrap(wrapped, aad) {
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId, CiphertextBlob: wrapped, EncryptionContext: contextOf(aad) }),
      );
      if (!Plaintext) throw new Error('the answer has no Plaintext');
      return Buffer.from(Plaintext);
    },
    isRefusalToOpen: (error) => error instanceof Error && refusals.has(error.name),
  };
}
