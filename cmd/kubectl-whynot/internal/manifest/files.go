// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"
)

// ReadPath calls add for each object of a file, of the files of a directory, or
// of a URL.
func ReadPath(ctx context.Context, path string, recursive bool, add func(Object) error) error {
	if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		return readURL(ctx, path, add)
	}
	files, err := resource.ExpandPathsToFileVisitors(nil, path, recursive, resource.FileExtensions, nil)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := readFile(file.(*resource.FileVisitor).Path, add); err != nil {
			return err
		}
	}
	return nil
}

func readFile(path string, add func(Object) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return ReadNamed(path, f, add)
}

func readURL(ctx context.Context, url string, add func(Object) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return ReadNamed(url, response.Body, add)
}

// ReadNamed calls add for each object of the stream. Errors have its name.
func ReadNamed(name string, r io.Reader, add func(Object) error) error {
	if err := Read(r, add); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
