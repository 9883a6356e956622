import type { CredentialType } from '#libs/contracts';
import { JsonObject, Text } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator';

const maxEntries = 100;
const maxIdLength = 100;

/** `credentials` of a request: the vault's record for each declaration, by the declaration's key. */
export const CredentialsByKey = (): PropertyDecorator =>
  applyDecorators(
    JsonObject({
      optional: true,
      description: 'Credential ids by the keys that the manifest declares; null unlinks one. All may be set later',
    }),
    (target: object, property: string | symbol) =>
      registerDecorator({
        name: 'credentialsByKey',
        target: target.constructor,
        propertyName: String(property),
        validator: {
          validate: (value: unknown) => value === undefined || isByKey(value),
          defaultMessage: () => `must be {"<declaration key>": "<credential id>" or null}, at most ${maxEntries}`,
        },
      }),
  );

/** `credential_id` of a request: a short form of `credentials`. */
export const CredentialForAll = (): PropertyDecorator =>
  Text(maxIdLength, {
    optional: true,
    nullable: true,
    description:
      'Short for credentials: this record for every declaration that it can fill by its type and field names, and for ' +
      'the signing secret of the built-in Webhook app; null unlinks all',
  });

/** A declared credential of an App, and what fills it. */
export class AppCredentialView {
  @ApiProperty({ description: "The declaration's key in the manifest" }) key: string;
  @ApiProperty({ enum: ['api_key', 'text', 'oauth2'], description: 'Type that a record must have' })
  type: CredentialType;
  @ApiProperty() label: string;
  @ApiProperty({ description: 'Name under which the adapter receives it' }) maps_to: string;
  @ApiProperty() required: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Null: nothing is linked' }) credential_id: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'State of the record, such as active, pending or needs_reconnect; gone: it was deleted; null: unknown',
  })
  status: string | null;
  @ApiProperty({ type: [String], required: false, description: 'Fields that the record lacks for this declaration' })
  missing_fields?: string[];
}

function isByKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.values(value);
  const isId = (id: unknown): boolean => typeof id === 'string' && id !== '' && id.length <= maxIdLength;
  return entries.length <= maxEntries && entries.every((id) => id === null || isId(id));
}
