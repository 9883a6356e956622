import type { PythonRunRequest } from '#libs/contracts';
import { JsonObject, Text, Whole } from '#libs/service-kit';

export class RunTool implements PythonRunRequest {
  @Text(200, { minLength: 1 }) call_id: string;
  @Text(100) organization_id: string;
  @Text(100, {
    minLength: 1,
    optional: true,
    description: 'Whose calls may share a process. Absent: those of the turn, the first part of `call_id`',
  })
  conversation?: string;
  @Text(1_048_576, { minLength: 1 }) source: string;
  @Text(64, { minLength: 64 }) source_sha256: string;
  @Text(64, { minLength: 1 }) function: string;
  @JsonObject() arguments: Record<string, unknown>;
  @JsonObject({ optional: true, description: 'Fields (text) by credential name' })
  credentials?: Record<string, Record<string, string>>;
  @Whole(1, 600_000) timeout_ms: number;
  @Text(2_048, { optional: true }) callback_url?: string;
  @Text(4_096, { optional: true }) callback_token?: string;
}
