import { Text } from '#libs/service-kit';
import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';

/** What is wrong with the address of an installation, and what to give instead; null: nothing. */
export function problemOfAddress(text: unknown): string | null {
  // The parser mends much, as `https:example`; paths are put behind what is written.
  if (typeof text !== 'string' || !URL.canParse(text) || !/^https?:\/\/[^/?#\\\s]+/i.test(text)) {
    return 'is no address of an installation: give its http or https URL with the host, as https://cell-2.example';
  }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) {
    return 'has a user or a password in it: leave them out, installations prove themselves by a key';
  }
  if (/[?#]/.test(text)) return 'has a query or a fragment: end it before the question mark or the number sign';
  if (/\/$|[\s\\]/.test(text)) {
    return 'ends with a slash, or has a backslash or a space: leave it out, as in https://cell-2.example';
  }
  return null;
}

/** The address under which another installation is reached, as long as a project moves and after it. */
export const InstallationAddress = (options: { description: string }): PropertyDecorator =>
  applyDecorators(
    Text(500, options),
    ValidateBy({
      name: 'isInstallationAddress',
      validator: {
        validate: (value) => problemOfAddress(value) === null,
        defaultMessage: (asked) => `${asked?.property} ${problemOfAddress(asked?.value)}`,
      },
    }),
  );
