import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { PAGE_VERSION: JSON.stringify('0.0.0-test') },
  test: { environment: 'happy-dom', include: ['test/**/*.test.{ts,tsx}'] },
});
