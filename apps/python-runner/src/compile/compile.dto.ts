import { Text } from '#libs/service-kit';

export class CompileSource {
  @Text(1_048_576, { minLength: 1, description: 'Python source of one tool' }) source: string;
}
