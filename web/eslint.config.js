import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "public", "src/protocol.ts"] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] } } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "react-hooks": reactHooks },
    rules: {
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-len": ["error", { code: 120, ignoreUrls: true, ignoreStrings: true }],
      "prefer-const": "error",
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-this-alias": "off", // modules remember the latest tool or drag
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/unbound-method": "off",
    },
  },
  {
    // Meshes of loaded files have materials and geometries that three.js types as any.
    files: ["src/viewport/**"],
    rules: Object.fromEntries(
      ["argument", "call", "member-access", "return"].map((what) => [`@typescript-eslint/no-unsafe-${what}`, "off"]),
    ),
  },
  { files: ["eslint.config.js"], ...tseslint.configs.disableTypeChecked },
);
