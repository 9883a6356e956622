import type { ProviderKind } from '../../path/model/provider-kind.js';

/** What is known about a provider that people may connect. */
export interface ProviderPreset {
  id: string;
  name: string;
  kind: ProviderKind;
  /** Null: the public address of its kind, or one that has to be given. */
  base_url: string | null;
  needs: readonly ('base_url' | 'region' | 'cloud_project' | 'key')[];
}

const hosted = (id: string, name: string, base_url: string): ProviderPreset => ({
  id,
  name,
  kind: 'openai-compatible',
  base_url,
  needs: ['key'],
});
/** Servers that run beside the platform; people change the host. */
const local = (id: string, name: string, base_url: string): ProviderPreset => ({
  id,
  name,
  kind: 'openai-compatible',
  base_url,
  needs: ['base_url'],
});

/** Base URLs as the providers document them. Most speak the protocol of OpenAI's chat completions. */
export const presets: readonly ProviderPreset[] = [
  { id: 'openai', name: 'OpenAI', kind: 'openai', base_url: null, needs: ['key'] },
  { id: 'anthropic', name: 'Anthropic', kind: 'anthropic', base_url: null, needs: ['key'] },
  { id: 'google', name: 'Google Gemini', kind: 'google', base_url: null, needs: ['key'] },
  {
    id: 'google-vertex',
    name: 'Google Vertex AI',
    kind: 'google-vertex',
    base_url: null,
    needs: ['region', 'cloud_project', 'key'],
  },
  { id: 'amazon-bedrock', name: 'Amazon Bedrock', kind: 'amazon-bedrock', base_url: null, needs: ['region', 'key'] },
  { id: 'azure', name: 'Azure OpenAI', kind: 'azure', base_url: null, needs: ['base_url', 'key'] },
  { id: 'mistral', name: 'Mistral', kind: 'mistral', base_url: null, needs: ['key'] },
  hosted('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1'),
  hosted('xai', 'xAI', 'https://api.x.ai/v1'),
  hosted('groq', 'Groq', 'https://api.groq.com/openai/v1'),
  hosted('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1'),
  hosted('together', 'Together AI', 'https://api.together.xyz/v1'),
  hosted('fireworks', 'Fireworks AI', 'https://api.fireworks.ai/inference/v1'),
  hosted('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1'),
  hosted('perplexity', 'Perplexity', 'https://api.perplexity.ai'),
  hosted('moonshot', 'Moonshot AI', 'https://api.moonshot.ai/v1'),
  hosted('qwen', 'Qwen (Alibaba Cloud)', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
  hosted('nvidia', 'NVIDIA NIM', 'https://integrate.api.nvidia.com/v1'),
  hosted('huggingface', 'Hugging Face', 'https://router.huggingface.co/v1'),
  hosted('cohere', 'Cohere', 'https://api.cohere.ai/compatibility/v1'),
  hosted('sambanova', 'SambaNova', 'https://api.sambanova.ai/v1'),
  local('ollama', 'Ollama', 'http://localhost:11434/v1'),
  local('lm-studio', 'LM Studio', 'http://localhost:1234/v1'),
  local('vllm', 'vLLM', 'http://localhost:8000/v1'),
  local('llama-cpp', 'llama.cpp', 'http://localhost:8080/v1'),
  local('litellm', 'LiteLLM', 'http://localhost:4000/v1'),
  { id: 'other', name: 'Other', kind: 'openai-compatible', base_url: null, needs: ['base_url'] },
];
