// check OBJECT.json [POLICY.yaml]: prints the webhook's verdict on creating the object.
package main

import (
	"fmt"
	"os"
	"time"

	"dynamo-admission/examples/go/admission"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: check OBJECT.json [POLICY.yaml]")
		os.Exit(2)
	}
	decision, err := check(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println(map[bool]string{true: "allowed", false: "denied"}[decision.Allowed])
	for _, cause := range decision.Causes {
		fmt.Printf("cause %s: %s\n", cause.Field, cause.Message)
	}
	for _, warning := range decision.Warnings {
		fmt.Printf("warning %s\n", warning.Message)
	}
	if decision.Patch != "" {
		fmt.Printf("patch %s\n", decision.Patch)
	}
	if !decision.Allowed {
		os.Exit(1)
	}
}

func check(files []string) (*admission.Decision, error) {
	object, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	policy := ""
	if len(files) == 2 {
		text, err := os.ReadFile(files[1])
		if err != nil {
			return nil, err
		}
		policy = string(text)
	}
	evaluator, err := admission.NewEvaluator("operator-version: 1.2.3", policy)
	if err != nil {
		return nil, err
	}
	defer evaluator.Close()
	return evaluator.Evaluate(
		admission.Request{Operation: "CREATE", Object: object, User: "jane"}, time.Now())
}
