import { SIGNATURE_SCHEMES, type SignatureSchemeName } from '#libs/adapter-sdk';
import type { DeclaredVerification } from '#libs/contracts';
import { OneOf, Text, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

const optional = { optional: true } as const;
const place = { optional: true, minLength: 1 } as const;

/** How the built-in Webhook app checks requests (spec 5.5). */
export class SignatureSettings implements Omit<DeclaredVerification, 'secret_fields'> {
  @OneOf(SIGNATURE_SCHEMES) scheme: SignatureSchemeName;
  @Text(100, { ...optional, description: 'Header with the signature or secret. Default: x-signature-256' })
  header?: string;
  @Text(100, { ...place, description: 'Query parameter with the signature or secret' }) query?: string;
  @Text(200, { ...place, description: 'JSON pointer to the signature or secret in the body' }) pointer?: string;
  @OneOf(['sha256', 'sha512', 'sha1'], optional) algorithm?: 'sha256' | 'sha512' | 'sha1';
  @OneOf(['hex', 'base64'], optional) encoding?: 'hex' | 'base64';
  @Text(50, { ...optional, description: 'Text before the digest. Default: sha256= for hmac' }) prefix?: string;
  @OneOf(['text', 'base64', 'hex'], { ...optional, description: 'How the bytes of the secret are written (hmac)' })
  key?: 'text' | 'base64' | 'hex';
  @Text(100, { ...place, description: 'Header with the time of signing' }) timestamp_header?: string;
  @Text(200, { ...place, description: 'JSON pointer to the time of signing in the body' }) timestamp_pointer?: string;
  @Text(50, { ...place, description: 'Name of the time beside the signature: t in t=1700000000,v1=…' })
  timestamp_entry?: string;
  @OneOf(['s', 'ms', 'iso'], { ...optional, description: 'Default: s, Unix seconds' })
  timestamp_unit?: 's' | 'ms' | 'iso';
  @Whole(1, 3_600, { ...optional, description: 'How far the time of signing may be off. Default: 300' })
  tolerance_seconds?: number;
  @Text(1_000, {
    ...place,
    description:
      'What is signed: text with {body}, {timestamp}, {url}, {uri}, {method}, {path}, {params}, {header:NAME}, {headers:NAME}, {query:NAME}, ' +
      '{/POINTER}. Default: {body}, or {timestamp}.{body} if a time is signed',
  })
  signed_text?: string;
  @Text(100, { ...place, description: 'Claim of a JWT with the SHA-256 of the body' }) body_hash_claim?: string;
  @Text(100, { ...place, description: 'Query parameter with the hex SHA-256 of a body that is no form' })
  body_hash_query?: string;
}

/** As the API shows it. */
export class SignatureView extends SignatureSettings implements DeclaredVerification {
  @ApiProperty({ type: [String], description: "Fields of the App's credential" }) secret_fields: string[];
}
