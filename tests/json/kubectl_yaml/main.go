// Reads the texts of tests/testdata/yaml/kubectl.jsonl as kubectl does and writes the updated file to
// standard output: see the README there.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

type row struct {
	Name       string `json:"name"`
	Text       string `json:"text"`
	Documents  []any  `json:"documents"`
	Refused    bool   `json:"refused,omitempty"`
	Difference string `json:"difference,omitempty"`
}

// Returns the documents that kubectl reads, up to the first one that it refuses. The buffer has kubectl's size.
func read(text string) (documents []any, err error) {
	const bufferSize = 4096
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), bufferSize)
	documents = []any{}
	for {
		extension := runtime.RawExtension{}
		if err := decoder.Decode(&extension); err != nil {
			if errors.Is(err, io.EOF) {
				return documents, nil
			}
			return documents, err
		}
		raw := bytes.TrimSpace(extension.Raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		var document any
		if err := kubejson.Unmarshal(raw, &document); err != nil {
			return documents, err
		}
		documents = append(documents, document)
	}
}

func rewrite(in io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(out)
	for {
		var each row
		if err := decoder.Decode(&each); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		documents, err := read(each.Text)
		each.Documents = documents
		each.Refused = err != nil
		if err := encoder.Encode(each); err != nil {
			return err
		}
	}
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := rewrite(os.Stdin, out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
