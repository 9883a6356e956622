import { Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

export class SignInByLink {
  @Text(200, { minLength: 1, description: 'What follows #token= in the link' }) token: string;
}

export class OidcMethod {
  @ApiProperty({ description: 'Of /api/v1/sign-in/oidc/{id}/start' }) id: string;
  @ApiProperty({ description: 'Text of the button' }) name: string;
}

export class SignInMethods {
  @ApiProperty({ type: [OidcMethod], description: 'Empty: there is no single sign-on' }) oidc: OidcMethod[];
  @ApiProperty({ description: 'Whether one can sign in by link' }) link: boolean;
}
