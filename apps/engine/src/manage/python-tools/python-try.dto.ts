import type { CredentialBinding, PythonTryRequest, ToolGrade } from '#libs/contracts';
import { toolGrades } from '#libs/contracts';
import { JsonObject, MayBeAbsent, OneOf, Text, TextList, Whole } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, ValidateNested } from 'class-validator';

class TriedSource {
  @Text(1_048_576, { minLength: 1 }) source: string;
  @Text(64, { minLength: 64 }) source_sha256: string;
  @Text(64, { minLength: 1 }) function: string;
}

class TriedCredential implements CredentialBinding {
  @Text(100, { minLength: 1 }) credential_id: string;
  @Text(64, { minLength: 1 }) as: string;
  @Text(100, { minLength: 1 }) skill_id: string;
  @TextList(20, 260, { optional: true }) hosts?: string[];
  @Text(100, { optional: true }) header?: string;
  @Text(40, { optional: true }) scheme?: string;
}

export class TryPython implements PythonTryRequest {
  @Text(100, { minLength: 1 }) call_id: string;
  @Text(100, { minLength: 1 }) tool_id: string;
  @OneOf(toolGrades) grade: ToolGrade;
  @ApiProperty({ type: TriedSource }) @ValidateNested() @Type(() => TriedSource) python: TriedSource;
  @JsonObject() input_schema: Record<string, unknown>;
  @JsonObject() arguments: Record<string, unknown>;
  @Whole(100, 600_000, { optional: true }) timeout_ms?: number;
  @ApiProperty({ type: [TriedCredential], required: false })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => TriedCredential)
  credential_bindings?: TriedCredential[];
}
