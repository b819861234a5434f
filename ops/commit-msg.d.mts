export declare const headless: RegExp
export declare const subjectFault: (message: string) => string | undefined
export declare const install: () => void
