import type { KeyCheck } from '#libs/contracts';
import { Flag, NestedList, OneOf, Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

const forms = ['text', 'standard-webhooks'] as const;

/** Which fields hold keys that check signatures, and how a key is made of their text. */
export class KeyCheckBody implements KeyCheck {
  @OneOf(forms) form: (typeof forms)[number];
  @TextList(100, 64, { description: "The record's own names, or those of its binding" }) fields: string[];
  @Flag({ description: 'Whether its only field is meant when none has such a name' }) or_only_field: boolean;
}

export class CheckedCredential extends KeyCheckBody {
  @Text(100, { minLength: 1 }) credential_id: string;
}

export class CheckKeys {
  @NestedList(CheckedCredential, 100) credentials: CheckedCredential[];
}

export class KeyProblem {
  @ApiProperty() field: string;
  @ApiProperty({ description: 'Why it cannot protect, for people' }) message: string;
}

export class KeyProblems {
  @ApiProperty() credential_id: string;
  @ApiProperty({ type: [KeyProblem], description: 'Empty also for a credential that does not exist or open' })
  problems: KeyProblem[];
}

export class KeyProblemsList {
  @ApiProperty({ type: [KeyProblems], description: 'In the order of the request' }) data: KeyProblems[];
}
